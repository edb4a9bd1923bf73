/**
 * Takes a chunk of messages through a sink's functions: filter, then transform, then routing, each only for the messages
 * that it still concerns. A message fails by its first error; the others go on. Knows neither isolates nor processes.
 */
import type { FunctionSettings } from '../model/declared.ts';
import type { FunctionInput } from '../model/message.ts';
import { evaluatePath, pathReads, readPath } from './path.ts';
import type { Answer } from './protocol/answer.ts';
import type { Complaint } from './protocol/complaint.ts';
import { type Item, itemOf } from './protocol/item.ts';
import type { ShapeError } from './protocol/shape-error.ts';
import { judgeFilter, judgeRouting, judgeTransform, type Verdict } from './protocol/verdict.ts';

/** The functions of one sink. Each may be code or a path. */
export interface FunctionSet {
  filter?: FunctionSettings;
  transform?: FunctionSettings;
  routing?: FunctionSettings;
}

/** What the functions of a sink make of one message. */
export interface Shaped {
  /** False: the filter refused it. */
  kept: boolean;
  /** The transform's JSON text; absent without a transform, and for a search sink's deletes. */
  body?: string;
  /** The routing function's `index_name`. For a search sink also of an update that was not kept. */
  indexName?: string;
  /** Where the row before the update was routed, if elsewhere. Also with an error of the routing function. */
  oldIndexName?: string;
  error?: ShapeError;
}

/** Who runs code. */
export interface Runner {
  /** One answer for each item, in order, up to the first for which there is no room. */
  run(fn: FunctionSettings, items: readonly Item[]): Promise<readonly Answer[]>;
  /** How many of action, record, changes, metadata a function reads, if it is known; else 4. */
  reads(fn: FunctionSettings): number;
}

/** One answer for each input, in order, up to the first for whose result there is no room. */
export async function shapeChunk(
  set: FunctionSet,
  inputs: readonly FunctionInput[],
  { replaces, runner }: { replaces: boolean; runner: Runner },
): Promise<Shaped[]> {
  const shaped: Shaped[] = inputs.map(() => ({ kept: true }));
  const all = inputs.map((_input, index) => index);
  /** As the stage before wrote them: the next one usually reads as much. */
  const written: { item: Item; reads: number }[] = [];
  const write = (index: number, reads: number): Item => {
    if (written[index]?.reads !== reads) {
      written[index] = { item: itemOf(inputs[index]!, { reads, before: false }), reads };
    }
    return written[index].item;
  };
  /** The first that found no room: it and what comes after it are not answered at all. */
  let end = inputs.length;
  const stage = async (fn: FunctionSettings, asked: readonly number[], before = false): Promise<readonly Answer[]> => {
    const chosen = asked.filter((index) => index < end);
    if (chosen.length === 0) return [];
    if (fn.type === 'path') return chosen.map((index) => pathAnswer(fn, inputs[index]!));
    const reads = runner.reads(fn);
    const items = chosen.map((index) => (before ? itemOf(inputs[index]!, { reads, before }) : write(index, reads)));
    const answers = await runner.run(fn, items);
    end = chosen[answers.length] ?? end;
    return answers;
  };
  /** Writes a stage's verdicts down: a value by `accept`, an error as the message's own unless `lenient`. */
  const settle = <T>(chosen: readonly number[], verdicts: Verdict<T>[], accept: (shaped: Shaped, value: T) => void) => {
    for (const [at, verdict] of verdicts.entries()) {
      const one = shaped[chosen[at]!]!;
      if ('value' in verdict) accept(one, verdict.value);
      else one.error = verdict.error;
    }
  };
  const going = (index: number) => shaped[index]!.error === undefined;

  const { filter, transform, routing } = set;
  if (filter !== undefined) {
    const answers = await stage(filter, all);
    const verdicts = answers.map((answer) => judgeFilter(filter, answer));
    settle(all, verdicts, (one, kept) => {
      one.kept = kept;
    });
  }
  if (transform !== undefined) {
    const chosen = all.filter(
      (index) => going(index) && shaped[index]!.kept && !(replaces && inputs[index]!.action === 'delete'),
    );
    const answers = await stage(transform, chosen);
    const verdicts = answers.map((answer) => judgeTransform(transform, answer, replaces));
    settle(chosen, verdicts, (one, body) => {
      one.body = body;
    });
  }
  if (routing !== undefined) {
    // A row that a filter refuses may have to leave the index where it was, so that place is told as well.
    const mayBeThere = (index: number) => ['update', 'read'].includes(inputs[index]!.action);
    const concerned = (index: number) => shaped[index]!.kept || (replaces && mayBeThere(index));
    const chosen = all.filter((index) => going(index) && concerned(index));
    const answers = await stage(routing, chosen);
    const verdicts = answers.map((answer) => judgeRouting(routing, answer));
    settle(chosen, verdicts, (one, name) => {
      one.indexName = name;
    });
    if (!replaces || routing.type === 'path') return shaped.slice(0, end);
    // Also where the new row is routed nowhere: whatever replaces this message deletes the document in the old place.
    const moved = chosen.filter((index) => hasOldValues(inputs[index]!));
    const places = (await stage(routing, moved, true)).map((answer) => judgeRouting(routing, answer));
    settle(moved, places.map(lenient), (one, name) => {
      if (name !== undefined && name !== one.indexName) one.oldIndexName = name;
    });
  }
  return shaped.slice(0, end);
}

/** How many of action, record, changes, metadata a set of functions reads. Old rows need the changes. */
export function readsOf({ filter, transform, routing }: FunctionSet, options: { replaces: boolean; runner: Runner }) {
  const reads = [filter, transform, routing].map((fn) =>
    fn === undefined ? 0 : fn.type === 'path' ? pathReads(fn.path ?? '') : options.runner.reads(fn),
  );
  return Math.max(options.replaces && routing !== undefined ? 3 : 0, ...reads);
}

/**
 * A function that refuses the old row refused it when it was new, so nothing is to be removed. One that gave no answer at
 * all is another matter: where the row was is not known.
 */
function lenient(verdict: Verdict<string>): Verdict<string | undefined> {
  if ('value' in verdict) return verdict;
  const { kind } = verdict.error;
  return kind === 'threw' || kind === 'bad_output' ? { value: undefined } : verdict;
}

function hasOldValues(input: FunctionInput): boolean {
  return input.action === 'update' && input.changes !== null && input.changes !== '{}';
}

function pathAnswer(fn: FunctionSettings, input: FunctionInput): Answer {
  const steps = readPath(fn.path ?? '');
  return steps === undefined ? { complaint: BAD_PATH } : { text: evaluatePath(steps, input) };
}

export const BAD_PATH: Complaint = {
  kind: 'bad_output',
  message: 'The path must be record, changes, metadata or action, or a dotted path below one of them, like record.id',
};
