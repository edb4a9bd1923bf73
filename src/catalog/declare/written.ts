/**
 * What is stored, as entries of millrace.yaml: the inverse of reading them, every key written out. Read again, an entry is
 * the same thing. Secrets are `Hidden` in it, so that nothing shows them by mistake.
 */
import type {
  DatabaseAddress,
  DatabaseSettings,
  Destination,
  FunctionSettings,
  SinkSettings,
  TableBackfill,
} from '../../model/declared.ts';
import { MASK } from '../../model/masked.ts';
import { kindNamed } from '../../sinks/kinds.ts';
import { sectionOf } from './destination.ts';

/** An entry of one of the file's lists. */
export type Entry = Record<string, unknown>;

/** A secret within an entry. */
export class Hidden {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  toJSON(): string {
    return MASK;
  }
}

/** `address` undefined: it does not open. */
export function databaseEntry(settings: DatabaseSettings, address: DatabaseAddress | undefined): Entry {
  const { name, capture = 'replication', trigger_errors = 'fail', ...others } = settings;
  const rest = { capture, trigger_errors, ...others };
  const { host, port, database, user, password = '' } = address ?? {};
  return written({ name, hostname: host, port, database, username: user, password: new Hidden(password), ...rest });
}

export function functionEntry(settings: FunctionSettings): Entry {
  return written({ ...settings });
}

/** `identity` tells two tokens apart, and is not shown. */
export function tokenEntry(token: { name: string; identity: string; scopes: readonly string[] }): Entry {
  return { name: token.name, token: new Hidden(token.identity), scopes: [...token.scopes] };
}

/** The list of the file that a sink stands in. */
export const listOf = ({ destination: { type } }: Pick<SinkSettings, 'destination'>): string =>
  kindNamed(type)?.list?.key ?? 'sinks';

/** An entry of the list that `listOf` says. `secret`: the destination's credential. */
export function sinkEntry(settings: SinkSettings, secret: string | null): Entry {
  const { name, database, status, source, actions, filters, initial_backfill: backfill, ...rest } = settings;
  const destination = writtenDestination(settings.destination, secret);
  if (listOf(settings) !== 'sinks') {
    const [schema, table] = source.include_tables?.[0]?.split('.') ?? [];
    const at = { source_database: database, source_table_schema: schema, source_table_name: table };
    return written({ name, status, ...at, actions, filters, ...destination });
  }
  const initial = backfill === undefined ? {} : { initial_backfill: backfillEntry(backfill) };
  return written({ ...{ name, database, status, source, actions, filters }, ...rest, ...initial, destination });
}

/** With its credential hidden in it. */
export const writtenDestination = (destination: Destination, secret: string | null): Entry => ({
  ...destinationKeys(destination),
  ...hiddenKeys(secretKeys(destination, secret)),
});

/** With masks for a credential that is stored, which nobody opens for that. */
export const maskedDestination = (destination: Destination): Entry => ({
  ...destinationKeys(destination),
  ...sectionOf(kindNamed(destination.type)!).secrets?.masked(destination),
});

/** The keys that a credential stands in. */
export function secretKeys(destination: Destination, secret: string | null): object {
  const { secrets } = sectionOf(kindNamed(destination.type)!);
  return secret === null ? {} : (secrets?.open(secret) ?? {});
}

function destinationKeys(destination: Destination): object {
  return sectionOf(kindNamed(destination.type)!).write?.(destination) ?? destination;
}

const backfillEntry = (wanted: true | TableBackfill[]): unknown =>
  wanted === true
    ? true
    : wanted.map((entry) => (entry.sort_column === null ? { table: entry.table } : { type: 'partial', ...entry }));

/** Every text of it is secret. */
function hidden(value: unknown): unknown {
  if (typeof value === 'string') return new Hidden(value);
  if (Array.isArray(value)) return value.map(hidden);
  return isObject(value) ? hiddenKeys(value) : value;
}

const hiddenKeys = (value: object): object =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hidden(inner)]));

/** An entry as it is shown: a text for each secret. */
export function withSecrets(value: unknown, show: (secret: string) => string): unknown {
  if (value instanceof Hidden) return show(value.text);
  if (Array.isArray(value)) return value.map((item) => withSecrets(item, show));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withSecrets(inner, show)]));
}

/** Without keys that say nothing. */
function written(value: object): Entry {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, inner]) => {
      if (inner === null || inner === undefined) return [];
      return [[key, isObject(inner) ? written(inner) : Array.isArray(inner) ? inner.map(item) : inner]];
    }),
  );
}

const item = (value: unknown): unknown => (isObject(value) ? written(value) : value);

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Hidden);
}
