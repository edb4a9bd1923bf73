/** The catalog as it is stored, for whoever compares or exports it. */
import type { Queryable } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { DatabaseRow } from './databases.ts';
import type { FunctionRow } from './functions.ts';
import type { SinkRow } from './sinks.ts';
import type { TokenRow } from './tokens.ts';

const listTokens = statement('catalog/list-tokens');
const listDatabases = statement('catalog/list-databases');
const listFunctions = statement('catalog/list-functions');
const listEmails = statement('catalog/list-emails');
const listSinks = statement('catalog/list-sinks');

/** Each list in the order of creation. */
export interface Current {
  tokens: TokenRow[];
  databases: DatabaseRow[];
  functions: FunctionRow[];
  sinks: SinkRow[];
  /** Of people. */
  emails: string[];
}

export async function readCurrent(db: Queryable): Promise<Current> {
  return {
    tokens: (await db.query<TokenRow>(listTokens)).rows,
    databases: (await db.query<DatabaseRow>(listDatabases)).rows,
    functions: (await db.query<FunctionRow>(listFunctions)).rows,
    sinks: (await db.query<SinkRow>(listSinks)).rows,
    emails: (await db.query<{ email: string }>(listEmails)).rows.map(({ email }) => email),
  };
}
