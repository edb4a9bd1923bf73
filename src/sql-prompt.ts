/**
 * `npm run sql`: one statement, or a prompt, for machines without psql. It prints what a person wants to see: an aligned
 * table, or how many rows were affected, or Postgres' own error. Rows go to the screen of who asked, and nowhere else.
 */
import path from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { PoolOptions } from './db/pool.ts';
import { openSession, type SqlSession } from './db/session.ts';
import { readCertificates } from './model/certificate.ts';
import { withDatabaseName } from './model/database-address.ts';
import { MillraceError } from './model/errors.ts';
import { databaseOfPerson } from './roles/connect.ts';
import { readState } from './runtime/state.ts';
import { isComplete, table } from './sql-table.ts';

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
}

/** Returns the exit code: 1 when the (last) statement failed. @throws MillraceError when there is no server. */
export async function runSql(options: SqlOptions, terminal: Terminal): Promise<number> {
  const reached = await reach(options);
  const session = await openSession(reached);
  try {
    if (options.sql !== undefined) return await execute(session, options.sql, terminal);
    return await prompt(session, reached.database, terminal);
  } finally {
    await session.close();
  }
}

async function reach(options: SqlOptions): Promise<PoolOptions & { database: string }> {
  const databaseUrl = await sqlAddress(options);
  const databaseCaCert = readCertificates(options.env.DATABASE_CA_CERT ?? '') ?? null;
  return await databaseOfPerson({ databaseUrl, databaseCaCert }).catch((error: unknown) => {
    const cause = error instanceof MillraceError ? error.cause : undefined;
    if (isCode(cause, '3D000') && options.database !== undefined) {
      const remedy = 'Name one that is there with --database; `select datname from pg_database` lists them.';
      throw new MillraceError('not_found', `There is no database ${options.database} on this server`, { remedy });
    }
    if (options.env.DATABASE_URL) throw error;
    const remedy = 'Run `bin/millrace start` in this folder first, and leave it running.';
    throw new MillraceError('unavailable', 'The database cannot be reached', { remedy, cause });
  });
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code;

/** The database that is meant: DATABASE_URL's server, else the embedded one of `home`. */
export async function sqlAddress(options: SqlOptions): Promise<string> {
  const url = options.env.DATABASE_URL || (await embeddedAddress(options.home));
  return options.database === undefined ? url : withDatabaseName(url, options.database);
}

async function embeddedAddress(home: string): Promise<string> {
  const state = await readState(home);
  if (state?.postgresPort === undefined) {
    throw new MillraceError('unavailable', `There is no embedded server in ${path.resolve(home)}`, {
      remedy: 'Run `bin/millrace start` in this folder first, or set DATABASE_URL.',
    });
  }
  return `postgres://postgres:${encodeURIComponent(state.postgresPassword)}@127.0.0.1:${state.postgresPort}/millrace`;
}

async function prompt(session: SqlSession, database: string, terminal: Terminal): Promise<number> {
  const lines = createInterface({ input: terminal.input, output: terminal.output });
  let open = true;
  lines.once('close', () => {
    open = false;
  });
  let text = '';
  let code = 0;
  const ask = (): void => {
    if (open) terminal.output.write(text === '' ? `${database}=> ` : `${database}-> `);
  };
  terminal.output.write('A statement ends with a semicolon. \\q, Ctrl-D or Ctrl-C leaves.\n');
  ask();
  // Lines that came while a statement ran are kept by the iterator, also when the input has ended.
  for await (const line of lines) {
    if (text === '' && ['\\q', 'exit', 'quit'].includes(line.trim())) break;
    text = text === '' ? line.trimStart() : `${text}\n${line}`;
    if (isComplete(text)) {
      code = await execute(session, text, terminal);
      text = '';
    }
    ask();
  }
  if (text.trim() !== '') code = await execute(session, text, terminal);
  lines.close();
  return code;
}

async function execute(session: SqlSession, sql: string, terminal: Terminal): Promise<number> {
  const outcome = await session.execute(sql);
  if ('error' in outcome) {
    terminal.output.write(`${outcome.error}\n`);
    return 1;
  }
  for (const result of outcome.results) {
    terminal.output.write(
      result.columns.length > 0 ? table(result) : `${result.command} ${result.rowCount ?? ''}`.trimEnd(),
    );
    terminal.output.write('\n');
  }
  return 0;
}
