/**
 * `bin/millrace sql`: one statement, or a prompt, for machines without psql. It prints what a person wants to see: an aligned
 * table, or how many rows were affected, or Postgres' own error. Rows go to the screen of who asked, and nowhere else. Of
 * psql's own commands it knows those of our documentation: `\x`, `\g`, `\gx`, `\q`.
 */
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import { databaseOfPerson } from '../db/message-database.ts';
import type { PoolOptions } from '../db/pool.ts';
import { openSession, type SqlSession } from '../db/session.ts';
import { withDatabaseName } from '../model/database-address.ts';
import { MillraceError } from '../model/errors.ts';
import { isMissingDatabase } from '../model/sqlstate.ts';
import { readCaCert } from '../runtime/settings.ts';
import { MESSAGES, PLAYGROUND, passwordOf, readState } from '../runtime/state.ts';
import { isComplete, records, table } from './sql-table.ts';
import { INTERRUPTED } from './terminal.ts';

export interface SqlOptions {
  /** The statement; absent: a prompt. */
  sql?: string;
  /** Database of the embedded server, or of the server of DATABASE_URL. */
  database?: string;
  home: string;
  env: NodeJS.ProcessEnv;
}

export interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
  /** Of statements that failed, as in psql: what was printed may be a file. */
  errors: NodeJS.WritableStream;
}

/** Returns the exit code: 1 when the (last) statement failed. @throws MillraceError when there is no server. */
export async function runSql(options: SqlOptions, terminal: Terminal): Promise<number> {
  const reached = await reach(options);
  const session = await openSession(reached);
  try {
    if (options.sql !== undefined) return await execute(session, ended(options.sql) ?? options, terminal);
    return await prompt(session, reached.database, terminal);
  } finally {
    await session.close();
  }
}

async function reach(options: SqlOptions): Promise<PoolOptions & { database: string }> {
  const databaseUrl = await sqlAddress(options);
  const databaseCaCert = readCaCert(options.env);
  return await databaseOfPerson({ databaseUrl, databaseCaCert }).catch((error: unknown) => {
    const cause = error instanceof MillraceError ? error.cause : undefined;
    if (isMissingDatabase(cause) && options.database !== undefined) {
      const remedy = 'Name one that is there with --database; `select datname from pg_database` lists them.';
      throw new MillraceError('not_found', `There is no database ${options.database} on this server`, { remedy });
    }
    if (options.env.DATABASE_URL) throw error;
    const remedy = 'Run `bin/millrace start` in this folder first, and leave it running.';
    throw new MillraceError('unavailable', 'The database cannot be reached', { remedy, cause });
  });
}

/** The database that is meant: DATABASE_URL's server, else the embedded one of `home`. */
export async function sqlAddress(options: SqlOptions): Promise<string> {
  const { DATABASE_URL: url } = options.env;
  if (!url) return await embeddedAddress(options.home, options.database ?? MESSAGES);
  return options.database === undefined ? url : withDatabaseName(url, options.database);
}

/** As the owner of one of ours, as the superuser in any other one. */
async function embeddedAddress(home: string, database: string): Promise<string> {
  const state = await readState(home);
  if (state?.postgresPort === undefined) {
    throw new MillraceError('unavailable', `There is no embedded server in ${path.resolve(home)}`, {
      remedy: 'Run `bin/millrace start` in this folder first, or set DATABASE_URL.',
    });
  }
  const isOurs = database === MESSAGES || database === PLAYGROUND;
  const user = isOurs ? database : 'postgres';
  const password = isOurs ? passwordOf(state, user) : state.postgresPassword;
  const address = `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${state.postgresPort}`;
  return withDatabaseName(`${address}/${MESSAGES}`, database);
}

async function prompt(session: SqlSession, database: string, terminal: Terminal): Promise<number> {
  const { input, output } = terminal;
  // Where nobody types, only what is asked for is printed.
  const isTyped = isTerminal(input) && isTerminal(output);
  const lines = createInterface({ input, ...(isTyped ? { output } : {}) });
  // The server ends a statement whose asker is gone.
  if (isTyped) lines.once('SIGINT', () => process.exit(INTERRUPTED));
  let open = true;
  lines.once('close', () => {
    open = false;
  });
  let text = '';
  let code = 0;
  let expanded = false;
  const ask = (): void => {
    if (open && isTyped) output.write(text === '' ? `${database}=> ` : `${database}-> `);
  };
  const help =
    'A statement ends with a semicolon; \\gx in its place, or \\x before, prints a line for each column. \\q leaves.\n';
  if (isTyped) output.write(help);
  ask();
  // Lines that came while a statement ran are kept by the iterator, also when the input has ended.
  for await (const line of lines) {
    if (text === '' && ['\\q', 'exit', 'quit'].includes(line.trim())) break;
    if (text === '' && line.trim() === '\\x') {
      expanded = !expanded;
      output.write(`Expanded display is ${expanded ? 'on' : 'off'}.\n`);
      ask();
      continue;
    }
    text = text === '' ? line.trimStart() : `${text}\n${line}`;
    const statement = ended(text) ?? (isComplete(text) ? { sql: text } : undefined);
    if (statement !== undefined) {
      code = await execute(session, { expanded, ...statement }, terminal);
      text = '';
    }
    ask();
  }
  if (text.trim() !== '') code = await execute(session, { expanded, sql: text }, terminal);
  lines.close();
  return code;
}

const isTerminal = (stream: NodeJS.ReadableStream | NodeJS.WritableStream): boolean =>
  'isTTY' in stream && stream.isTTY === true;

interface Typed {
  sql?: string;
  expanded?: boolean;
}

/** A statement that ends with psql's `\g` or `\gx`. */
function ended(text: string): Typed | undefined {
  const found = /\\g(x?)\s*$/.exec(text);
  if (found === null) return undefined;
  const sql = text.slice(0, found.index);
  return isComplete(`${sql};`) ? { sql, ...(found[1] === 'x' ? { expanded: true } : {}) } : undefined;
}

async function execute(session: SqlSession, { sql = '', expanded }: Typed, terminal: Terminal): Promise<number> {
  const outcome = await session.execute(sql);
  if ('error' in outcome) {
    terminal.errors.write(`${outcome.error}\n`);
    return 1;
  }
  for (const result of outcome.results) {
    terminal.output.write(
      result.columns.length > 0
        ? (expanded === true ? records : table)(result)
        : `${result.command} ${result.rowCount ?? ''}`.trimEnd(),
    );
    terminal.output.write('\n');
  }
  return 0;
}
