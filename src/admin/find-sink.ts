/** The sinks as they are declared, for commands that name one. */

import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { SinkSettings } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import { nearest } from '../model/finding.ts';
import { kindOfType } from '../sinks/kinds.ts';

const SINKS = statement('admin/sinks');

export interface NamedSink {
  no: number;
  name: string;
  kind: string;
  status: SinkSettings['status'];
  settings: SinkSettings;
}

/** What a sink is, for people: `a search index`. */
export const titleOf = ({ kind }: { kind: string }): string => kindOfType(kind)?.title ?? `a ${kind}`;

/** @throws MillraceError not_found, with the names that there are. */
export async function findSink(db: Database, name: string): Promise<NamedSink> {
  const { rows } = await db.query<NamedSink>(SINKS);
  const found = rows.find((sink) => sink.name === name);
  if (found) return found;
  throw noSink(
    name,
    rows.map((sink) => sink.name),
  );
}

export function noSink(name: string, names: readonly string[]): MillraceError {
  const close = nearest(name, [...names]);
  const all = names.length === 0 ? 'None is declared: see millrace.yaml.' : `There are: ${names.join(', ')}.`;
  const remedy = close === undefined ? all : `Did you mean ${close}? ${all}`;
  return new MillraceError('not_found', `there is no sink ${name}`, { remedy });
}
