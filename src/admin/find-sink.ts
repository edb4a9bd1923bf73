/** The sinks as they are declared, for whoever names one. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { SinkSettings } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import { kindOfType } from '../sinks/kinds.ts';
import { noSuch } from './no-such.ts';

const SINKS = statement('admin/sinks');

export interface NamedSink {
  no: number;
  id: string;
  name: string;
  kind: string;
  /** It keeps the newest state of each row: a document. */
  replaces: boolean;
  status: SinkSettings['status'];
  settings: SinkSettings;
}

/** What a sink is, for people: `a search index`. */
export const titleOf = ({ kind }: { kind: string }): string => kindOfType(kind)?.title ?? `a ${kind}`;

/** Where sinks are declared: `sinks`, or a list of their own. */
export type SinkList = 'sinks' | 'change_retentions';

/** By its name or id; of one list, or of any. @throws MillraceError not_found, with the names that there are. */
export async function findSink(db: Queryable, ref: string, list?: SinkList): Promise<NamedSink> {
  const { rows } = await db.query<NamedSink>(SINKS);
  const all = rows.filter(({ kind }) => list === undefined || (kindOfType(kind)?.list?.key ?? 'sinks') === list);
  const found = all.find(({ name, id }) => name === ref || id === ref);
  if (found) return found;
  const names = all.map(({ name }) => name);
  throw noSuch(list === 'change_retentions' ? 'change retention' : 'sink', ref, names);
}

/** By its name or id. @throws MillraceError not_found; invalid: it is no index, and cannot be `done`: `compared with tables`. */
export async function findIndex(db: Queryable, ref: string, done: string): Promise<NamedSink> {
  const { rows } = await db.query<NamedSink>(SINKS);
  const found = rows.find(({ name, id }) => name === ref || id === ref);
  const indexes = rows.filter(({ kind }) => kindOfType(kind)?.traits.readable).map(({ name }) => name);
  const remedy = `Name a search index: ${indexes.join(', ') || 'none is declared'}.`;
  if (!found) throw new MillraceError('not_found', `there is no sink ${ref}`, { remedy });
  if (indexes.includes(found.name)) return found;
  throw new MillraceError('invalid', `sink ${found.name} is ${titleOf(found)}: only a search index is ${done}`, {
    remedy,
  });
}
