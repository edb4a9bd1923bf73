/**
 * What `bin/millrace start` prints: what runs where, and commands that work as printed, from the folder it was started in.
 * psql takes its password from a file of ours, so that none stands on the screen or in a shell's history.
 */
import path from 'node:path';
import { CONSUMER } from './declaration.ts';

export interface Surroundings {
  /** http://127.0.0.1:7376 */
  baseUrl: string;
  /** False when the HTTP role has not answered yet. */
  answering: boolean;
  /** What starts Millrace from this folder, as a shell takes it: `bin/millrace`. */
  command: string;
  /** Where the messages are: the embedded server, or what DATABASE_URL names (`shop on db.example.com:5432`). */
  messages: EmbeddedPlace | string;
  /** By what the first user is made, null where that may end up in a log; null in all: there is one. */
  setup?: { token: string | null } | null;
  /** Absent without a playground. */
  playground?: Playground;
}

/** The token itself, for a terminal; else, where the text may end up in a log, the JSON file whose `apiToken` it is. */
export type Playground = { apiToken: string } | { tokenIn: string };

export interface EmbeddedPlace {
  port: number;
  /** The folder of its data. */
  dataDir: string;
  /** True when that is not under the project, because the server's account cannot reach it. */
  moved: boolean;
  /** Path of the password file for psql; absent where there is no psql on PATH: our own prompt is printed. */
  passfile?: string;
}

const CHANGE = "insert into orders (customer_id, payload) values (1, '{}')";
const DATABASES = 'select database_name, state, reason, remedy from millrace.database_status';
const SINKS = 'select sink_name, health, pending, parked, error from millrace.sink_status';
const PENDING = 'select * from millrace.pending_messages order by id limit 5';

export function welcome(around: Surroundings): string {
  const lines = [
    '',
    'Millrace is running. Ctrl-C stops it; the next start continues where this one stopped.',
    '',
    `  HTTP API       ${around.baseUrl}${around.answering ? '' : '   (not answering yet: see the lines above)'}`,
    ...setupLines(around),
    ...databaseLines(around),
    '  roles          web, worker, capture: one process each',
    '',
  ];
  lines.push(...(around.playground === undefined ? looks(around) : commands(around, around.playground)));
  return `${lines.join('\n')}\n`;
}

function setupLines({ baseUrl, setup }: Surroundings): string[] {
  if (setup == null) return [`  console        ${baseUrl}/`];
  const { token } = setup;
  if (token === null)
    return [
      `  console        ${baseUrl}/`,
      '  first user     none yet: set ADMIN_PASSWORD, or start on a terminal, which prints a link',
    ];
  return [`  console        ${baseUrl}/setup#k=${token}   (choose a password: good once, within the hour)`, ''];
}

/** The launcher as a shell in this folder takes it: `bin/millrace` in a clone, elsewhere its whole path. */
export function commandIn(folder: string, launcher: string): string {
  const relative = path.relative(folder, launcher);
  const shortest = relative.startsWith('..') ? launcher : relative;
  return /^[\w./-]+$/.test(shortest) ? shortest : `'${shortest.replaceAll("'", "'\\''")}'`;
}

function databaseLines({ messages, playground }: Surroundings): string[] {
  if (typeof messages === 'string') return [`  messages       database ${messages}, of DATABASE_URL`];
  const { port, dataDir, moved } = messages;
  return [
    `  Postgres 18    127.0.0.1:${port}, database millrace${playground ? ', and playground to try things on' : ''}`,
    `  its data       ${moved ? `${dataDir} (the server's account cannot reach this folder)` : dataDir}`,
  ];
}

/** For a configuration of the user's own: whether it works. */
function looks(around: Surroundings): string[] {
  const variables = typeof around.messages === 'string' ? ', with the same DATABASE_URL' : '';
  return [
    `Is all well? In another terminal, in this folder${variables}:`,
    '',
    `     ${around.command} sql "${DATABASES}"`,
    '',
    `     ${around.command} sql "${SINKS}"`,
    '',
  ];
}

/** A token on a terminal is seen by who sits there; in a log it would stay. */
function commands(around: Surroundings, playground: Playground): string[] {
  const token = 'apiToken' in playground ? playground.apiToken : '$TOKEN';
  const read =
    'apiToken' in playground
      ? []
      : [`     TOKEN=$(sed -n 's/.*"apiToken": "\\([^"]*\\)".*/\\1/p' '${playground.tokenIn}')`];
  return [
    'Three things to try, in another terminal, in this folder:',
    '',
    '  1. Receive up to 5 changes of orders; each comes again after 30 s unless its ack_id is acknowledged.',
    '',
    ...read,
    `     curl -s -H "Authorization: Bearer ${token}" "${around.baseUrl}/api/http_pull_consumers/${CONSUMER}/receive?batch_size=5&wait_for=10s"`,
    '',
    '  2. Change a row.',
    '',
    `     ${sqlCommand(around, 'playground', CHANGE)}`,
    '',
    '  3. See what is pending, and why.',
    '',
    `     ${sqlCommand(around, 'millrace', PENDING)}`,
    '',
  ];
}

function sqlCommand({ command, messages }: Surroundings, database: string, sql: string): string {
  if (typeof messages === 'string' || messages.passfile === undefined) {
    return `${command} sql ${database === 'millrace' ? '' : `--database ${database} `}"${sql}"`;
  }
  const address = `postgres://${database}@127.0.0.1:${messages.port}/${database}?passfile=${encodeURIComponent(messages.passfile)}`;
  return `psql "${address}" -c "${sql}"`;
}
