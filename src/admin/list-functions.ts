/** The functions as they are declared, and which sinks use them. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { FunctionSettings } from '../model/declared.ts';
import { MillraceError } from '../model/errors.ts';
import { nearest } from '../model/finding.ts';

const LIST = statement('admin/list-functions');

export interface ListedFunction {
  id: string;
  name: string;
  settings: FunctionSettings;
  managed_by: 'file' | 'api';
  /** Where the file that named it last was applied from. */
  declared_from: string | null;
  /** Rises with each change. */
  version: number;
  updated_by: string | null;
  inserted_at: Date;
  updated_at: Date;
  /** Names of sinks and change retentions. */
  used_by: string[];
}

/** By name. */
export async function listFunctions(db: Queryable): Promise<ListedFunction[]> {
  return (await db.query<ListedFunction>(LIST, [null])).rows;
}

/** By its name or id. @throws MillraceError not_found, with the names that there are. */
export async function showFunction(db: Queryable, ref: string): Promise<ListedFunction> {
  const { rows } = await db.query<ListedFunction>(LIST, [ref]);
  // A name may look like another one's id.
  const found = rows.find(({ name }) => name === ref) ?? rows[0];
  if (found) return found;
  const names = (await listFunctions(db)).map(({ name }) => name);
  const close = nearest(ref, names);
  const all = names.length === 0 ? 'There is none.' : `There are: ${names.join(', ')}.`;
  throw new MillraceError('not_found', `there is no function ${ref}`, {
    remedy: close === undefined ? all : `Did you mean ${close}? ${all}`,
  });
}
