/**
 * Runtime SQL lives in sql/<room>/<verb>.sql, one statement a file, and runs as a prepared statement of that name.
 */
import { readFileSync } from 'node:fs';

export interface Statement {
  readonly name: string;
  readonly text: string;
}

const root = new URL('../../sql/', import.meta.url);

/** Loads `sql/<path>.sql`, once, when the module that needs it is loaded. Throws when there is no such file. */
export function statement(path: string): Statement {
  return { name: path, text: readFileSync(new URL(`${path}.sql`, root), 'utf8').trim() };
}
