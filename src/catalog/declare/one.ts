/**
 * One entry as a request sends it, read by the schema of its list and checked against what is there beside it: the same faults
 * as in a file, by the names of the entry's own fields.
 */
import type { z } from 'zod';
import type { Fault } from '../../model/errors.ts';
import { type Finding, fieldOf, type Path } from '../../model/finding.ts';
import { findingsOf } from '../../model/section.ts';
import { Database } from './database.ts';
import { type Declared, declaredOf, withoutFiles } from './declaration.ts';
import type { Entries, Entry as Placed } from './entry.ts';
import { DeclaredFunction, functionFindings } from './function.ts';
import { checkReferences, textAt } from './references.ts';
import { DeclaredRetention } from './retention.ts';
import { DeclaredSink } from './sink.ts';
import { withoutTaken } from './taken.ts';
import { type Entry, isObject } from './written.ts';

/** Lists whose entries can be made and changed one by one. */
export type List = 'sinks' | 'change_retentions' | 'databases' | 'functions';

export interface CheckedOne {
  /** It alone. */
  declared: Declared;
  faults: Fault[];
  /** Sentences, each with its remedy. */
  warnings: string[];
}

/** How an entry of each is read. */
export const ENTRIES = {
  sinks: DeclaredSink,
  change_retentions: DeclaredRetention,
  databases: Database,
  functions: DeclaredFunction,
} as const satisfies Record<List, z.ZodType>;

const NONE: Entries = { api_tokens: [], databases: [], functions: [], sinks: [] };

/** `beside`: the others, whose faults are not asked for. */
export function checkOne(list: List, given: Entry, beside: Entries): CheckedOne {
  const { raw, warnings } = withoutTaken({ [list]: [given] });
  const items = isObject(raw) && Array.isArray(raw[list]) ? raw[list] : [];
  const path: Path = [list, 0];
  const findings: Finding[] = [];
  const read = <Value>(schema: z.ZodType<Value>): Placed<Value>[] =>
    items.map((item: unknown) => {
      const parsed = schema.safeParse(item);
      if (!parsed.success)
        findings.push(...(list === 'functions' ? functionFindings(item, path) : findingsOf(parsed.error, item, path)));
      return { path, name: textAt(item, 'name'), value: parsed.data, raw: item };
    });
  const own = entriesOf(list, read);
  findings.push(...withoutFiles(own.functions));
  const all = joined(beside, own);
  const references = checkReferences(all, { loopbackOnly: true });
  const notes = [...own.databases, ...own.sinks].flatMap(({ value }) =>
    (value?.notes ?? []).map((note) => ({ ...note, path: [...path, ...note.path] })),
  );
  const isOwn = ({ path: [first, second] }: Finding): boolean => first === list && second === 0;
  return {
    declared: declaredOf(own),
    faults: [...findings, ...references.faults.filter(isOwn)].map(placed),
    warnings: [...warnings, ...notes, ...references.warnings.filter(isOwn)].map((finding) => {
      const { field, message, remedy } = placed(finding);
      return `${field} ${message}. ${remedy}`;
    }),
  };
}

function entriesOf(list: List, read: <Value>(schema: z.ZodType<Value>) => Placed<Value>[]): Entries {
  switch (list) {
    case 'sinks':
      return { ...NONE, sinks: read(DeclaredSink) };
    case 'change_retentions':
      return { ...NONE, sinks: read(DeclaredRetention) };
    case 'databases':
      return { ...NONE, databases: read(Database) };
    case 'functions':
      return { ...NONE, functions: read(DeclaredFunction) };
  }
}

/** Its own comes last: what two have alike is the fault of the later one. */
function joined(beside: Entries, own: Entries): Entries {
  return {
    api_tokens: [],
    databases: [...beside.databases, ...own.databases],
    functions: [...beside.functions, ...own.functions],
    sinks: [...beside.sinks, ...own.sinks],
  };
}

const placed = ({ path, message, remedy }: Finding): Fault => ({
  field: fieldOf(path.slice(2)) || 'body',
  message: message.replace(' of this file', ' that is there').replace(/ above\b/, ' that is there'),
  remedy: remedy.replace('Declare it in this file, or name one that is.', 'Make it first, or name another one.'),
});
