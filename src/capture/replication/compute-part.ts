/** Computes the generated columns of changes that do not carry them, as many at once as fit into memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Reread } from '../../codec/row.ts';
import type { Connection, Database } from '../../db/pool.ts';
import { isCancelled } from '../../model/sqlstate.ts';
import type { Completed, Deferred } from '../../routing/pending.ts';
import { type ComputedColumn, type ComputedValues, type Image, inputsOf, withComputed } from '../../routing/widen.ts';
import { compute, type Trouble as Failed } from '../../source/compute.ts';
import { isComputable, readExpressions } from '../../source/generated.ts';

export interface CompletedEntry {
  entry: Deferred;
  found: Completed;
}

/** What kept values from being found, for a table. */
export interface Trouble {
  /** It gave no answer: somebody has it locked, or it takes too long. */
  isSilent: boolean;
  /** Rows could not be read: why. */
  unreadable?: string;
  /** Some could not be computed: Postgres' code. */
  code?: string;
}

interface Part {
  /** Of one relation. */
  part: readonly Deferred[];
  /** What was read again; null: the row is too large with it. */
  values: ReadonlyMap<Deferred, Reread | null>;
  /** Milliseconds that a lock on the table is waited for. */
  patienceMs: number;
  /** Bytes of each row with what was read again, about. */
  sizes: ReadonlyMap<Deferred, number>;
}

/** Bytes of values of one answer, about. */
const PART_BYTES = 2 * 1024 * 1024;
/** Milliseconds that one question waits for a lock. */
const LOCK_MS = 1_000;
const PAUSE_MS = 250;
/** Of one question, that are looked into. */
const MOST_ERRORS = 100;

/** Runs of entries whose values are not too many bytes; one alone may be more. */
export function* partsOf(entries: readonly Deferred[], sizes: ReadonlyMap<Deferred, number>): Generator<Deferred[]> {
  let part: Deferred[] = [];
  let bytes = 0;
  for (const entry of entries) {
    const size = sizes.get(entry) ?? entry.bytes;
    if (part.length > 0 && bytes + size > PART_BYTES) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(entry);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

/** Runs of entries with what was computed of them. */
export async function* computed(source: Database, given: Part, trouble: Trouble): AsyncGenerator<CompletedEntry[]> {
  const { part, values, patienceMs, sizes } = given;
  const read = (entry: Deferred) => ({ reread: values.get(entry), bytes: sizes.get(entry) ?? entry.bytes });
  const jobs = part.flatMap((entry) => jobsOf(entry, values.get(entry) ?? undefined));
  const answer = await answerTo(source, { jobs, limit: PART_BYTES, patienceMs }, trouble);
  const { left } = answer;
  const done = part.filter((entry) => !left.has(entry));
  yield done.map((entry) => completedOf(entry, read(entry), answer));
  for (const run of partsOf([...left], answer.bytes)) {
    const asked = { jobs: jobs.filter(({ entry }) => run.includes(entry)), limit: Number.MAX_SAFE_INTEGER, patienceMs };
    const found = await answerTo(source, asked, trouble);
    yield run.map((entry) => completedOf(entry, read(entry), found));
  }
}

/** One row to be computed. */
interface Job {
  entry: Deferred;
  image: Image;
  columns: readonly ComputedColumn[];
  /** By column name. */
  inputs: ReadonlyMap<string, string | null>;
}

function jobsOf(entry: Deferred, reread: Reread | undefined): Job[] {
  const { message, relation } = entry;
  return entry.wanted.flatMap(({ image, columns }) => {
    const known = columns.flatMap((column) => {
      const inputs = inputsOf(column, { codec: relation.codec, message, image, reread });
      return inputs ? [{ column, inputs }] : [];
    });
    if (known.length === 0) return [];
    const inputs = new Map(known.flatMap((one) => [...one.inputs]));
    return [{ entry, image, columns: known.map(({ column }) => column), inputs }];
  });
}

interface Question {
  jobs: readonly Job[];
  /** Bytes of the answer, about. */
  limit: number;
  patienceMs: number;
}

interface Answer {
  values: Map<Deferred, ComputedValues>;
  /** Of what was computed of them, about. */
  bytes: Map<Deferred, number>;
  /** Too many bytes for this answer. */
  left: Set<Deferred>;
}

/** Without values where the table gives no answer. */
async function answerTo(source: Database, question: Question, trouble: Trouble): Promise<Answer> {
  const nothing: Answer = { values: new Map(), bytes: new Map(), left: new Set() };
  const { jobs, patienceMs } = question;
  if (jobs.length === 0) return nothing;
  const columns = [...new Set(jobs.flatMap((job) => job.columns.map(({ column }) => column)))];
  const until = performance.now() + (trouble.isSilent ? 0 : patienceMs);
  for (;;) {
    try {
      const answer = await source.session(async (client) =>
        (await readExpressions(client, columns, LOCK_MS)) ? await computeAll(client, question, trouble) : undefined,
      );
      if (answer) return answer;
    } catch (error) {
      if (!isCancelled(error)) throw error;
      trouble.isSilent = true;
      return nothing;
    }
    if (performance.now() > until) {
      trouble.isSilent = true;
      return nothing;
    }
    await sleep(PAUSE_MS);
  }
}

/** Rows that know the same columns are one question. */
async function computeAll(client: Connection, { jobs, limit }: Question, trouble: Trouble): Promise<Answer> {
  const answer: Answer = { values: new Map(), bytes: new Map(), left: new Set() };
  const failed: Failed = { patience: MOST_ERRORS };
  for (const group of Map.groupBy(jobs, ({ columns }) => columns.map(({ index }) => index).join()).values()) {
    const columns = group[0]!.columns.filter(({ column }) => isComputable(column));
    const most = group[0]!.entry.maxRowBytes;
    const asked = { columns: columns.map(({ column }) => column).filter(isComputable), limit, most };
    if (columns.length === 0) continue;
    const rows = await compute(client, { ...asked, rows: group.map(({ inputs }) => inputs) }, failed);
    for (const [n, { bytes, values }] of rows.entries()) {
      const { entry, image } = group[n]!;
      answer.bytes.set(entry, (answer.bytes.get(entry) ?? entry.bytes) + bytes);
      if (values === undefined) answer.left.add(entry);
      else if (bytes <= most) {
        const known = columns.flatMap(({ index }, place) => {
          const value = values[place];
          return value === undefined ? [] : [[index, value] as const];
        });
        answer.values.set(entry, { ...answer.values.get(entry), [image]: new Map(known) });
      }
    }
  }
  if (failed.last) trouble.code = failed.last.code;
  return answer;
}

function completedOf(
  entry: Deferred,
  { reread, bytes: readBytes }: { reread: Reread | null | undefined; bytes: number },
  { values, bytes }: Pick<Answer, 'values' | 'bytes'>,
): CompletedEntry {
  const message = withComputed(entry.message, values.get(entry) ?? {});
  const all = Math.max(bytes.get(entry) ?? 0, readBytes);
  const tooLarge = reread === null || (bytes.get(entry) ?? 0) > entry.maxRowBytes ? all : null;
  return { entry, found: { message, reread: reread ?? undefined, tooLarge } };
}
