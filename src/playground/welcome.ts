/**
 * What `npm start` prints: what runs where, and three commands that work as printed, from the folder it was started in.
 * psql takes its password from a file of ours, so that none stands on the screen or in a shell's history.
 */
import { CONSUMER } from './declaration.ts';

export interface Surroundings {
  /** http://127.0.0.1:7376 */
  baseUrl: string;
  /** False when the HTTP role has not answered yet. */
  answering: boolean;
  postgresPort: number;
  /** The folder of the embedded server's data. */
  dataDir: string;
  /** True when that is not under the project, because the server's account cannot reach it. */
  moved: boolean;
  /** Absent without a playground. */
  playground?: { apiToken: string };
  /** Path of the password file for psql; absent where there is no psql on PATH: our own prompt is printed. */
  passfile?: string;
}

const CHANGE = "insert into orders (customer_id, payload) values (1, '{}')";
const PENDING = 'select * from millrace.pending_messages order by id limit 5';

export function welcome(around: Surroundings): string {
  const where = around.moved ? `${around.dataDir} (the server's account cannot reach this folder)` : around.dataDir;
  const lines = [
    '',
    'Millrace is running. Ctrl-C stops it; the next start goes on where this one stopped.',
    '',
    `  HTTP API       ${around.baseUrl}${around.answering ? '' : '   (not answering yet: see the lines above)'}`,
    `  Postgres 18    127.0.0.1:${around.postgresPort}, database millrace${around.playground ? ', and playground to try things on' : ''}`,
    `  its data       ${where}`,
    '  roles          web, worker, capture: one process each',
    '',
  ];
  if (around.playground !== undefined) lines.push(...commands(around, around.playground.apiToken));
  return `${lines.join('\n')}\n`;
}

function commands(around: Surroundings, apiToken: string): string[] {
  return [
    'Three things to try, in another terminal, in this folder:',
    '',
    '  1. Receive up to 5 changes of orders; each comes again after 30 s unless its ack_id is acknowledged.',
    '',
    `     curl -s -H "Authorization: Bearer ${apiToken}" "${around.baseUrl}/api/http_pull_consumers/${CONSUMER}/receive?batch_size=5&wait_for=10s"`,
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

function sqlCommand(around: Surroundings, database: string, sql: string): string {
  if (around.passfile === undefined) {
    return `bin/millrace sql ${database === 'millrace' ? '' : `--database ${database} `}"${sql}"`;
  }
  const address = `postgres://postgres@127.0.0.1:${around.postgresPort}/${database}?passfile=${encodeURIComponent(around.passfile)}`;
  return `psql "${address}" -c "${sql}"`;
}
