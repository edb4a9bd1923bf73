/** The functions as they are declared, and which sinks use them. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import type { FunctionSettings } from '../model/declared.ts';
import { noSuch } from './no-such.ts';

const LIST = statement('admin/list-functions');
const CODES = statement('admin/function-codes');

/** Of the code of one page. */
const CODE_BYTES = 4_194_304;

export interface ListedFunction {
  id: string;
  name: string;
  settings: FunctionSettings;
  managed_by: 'file' | 'api';
  /** Where the file that named it last was applied from. */
  declared_from: string | null;
  /** The name of its entry there, where it was released and renamed since. */
  entry_name: string | null;
  /** Rises with each change. */
  version: number;
  updated_by: string | null;
  inserted_at: Date;
  updated_at: Date;
  /** Names of sinks and change retentions. */
  used_by: string[];
}

/** One whose code was not read. */
export interface OutlinedFunction extends Omit<ListedFunction, 'settings'> {
  settings: Omit<FunctionSettings, 'code'>;
  code_bytes: number;
}

/** By name. */
export async function listFunctions(db: Queryable): Promise<OutlinedFunction[]> {
  return (await db.query<OutlinedFunction>(LIST, [null])).rows;
}

/** How many of them, from the first one on, have no more code than one answer takes; at least one. */
export function fitting(functions: readonly OutlinedFunction[]): number {
  let bytes = 0;
  const beyond = functions.findIndex(({ code_bytes }) => {
    bytes += code_bytes;
    return bytes > CODE_BYTES;
  });
  return beyond < 0 ? functions.length : Math.max(1, beyond);
}

/** What was deleted meanwhile is left out. */
export async function withCode(db: Queryable, functions: readonly OutlinedFunction[]): Promise<ListedFunction[]> {
  const names = functions.map(({ name }) => name);
  const { rows } = await db.query<{ name: string; code: string | null }>(CODES, [names]);
  const codes = new Map(rows.map(({ name, code }) => [name, code]));
  return functions.flatMap(({ code_bytes: _, settings, ...rest }) => {
    const code = codes.get(rest.name);
    return code === undefined ? [] : [{ ...rest, settings: { ...settings, code } }];
  });
}

/** By its name or id. @throws MillraceError not_found, with the names that there are. */
export async function showFunction(db: Queryable, ref: string): Promise<ListedFunction> {
  const { rows } = await db.query<ListedFunction>(LIST, [ref]);
  // A name may look like another one's id.
  const found = rows.find(({ name }) => name === ref) ?? rows[0];
  if (found) return found;
  const names = (await listFunctions(db)).map(({ name }) => name);
  throw noSuch('function', ref, names);
}
