/** Jobs begun over HTTP: their id, or watched until they have ended. */
import type { MillraceError } from '../../model/errors.ts';
import { parseFrom } from '../backfill.ts';
import type { Request } from '../client/client.ts';
import { Refusal } from '../client/over-http.ts';
import type { Running } from '../table/command.ts';
import { readJson } from '../table/json.ts';
import { at, rowsOf, tellRows, textAt } from '../table/tell.ts';
import { isAgreed, person } from '../terminal.ts';
import { ended, follow } from './follow.ts';

/** Who asks for what is under way already watches that. @throws MillraceError */
async function idOf({ client }: Running, request: Request): Promise<string> {
  try {
    return textAt(readJson((await client.ask(request)).text), 'id');
  } catch (error) {
    const id = error instanceof Refusal && error.code === 'operation_running' ? textAt(readJson(error.text), 'id') : '';
    if (id === '') throw error;
    return id;
  }
}

async function begun(running: Running, request: Request, after?: (id: string) => Promise<void>): Promise<number> {
  const id = await idOf(running, request);
  if (running.options.wait === false) {
    process.stdout.write(running.everywhere.json ? `${JSON.stringify({ id })}\n` : `${id}\n`);
    return 0;
  }
  const { operation, left } = await follow(running, id);
  if (left !== undefined) return left;
  if (at(operation, 'state') === 'done') await after?.(id);
  return ended(running, operation);
}

const given = (fields: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export async function backfill(running: Running): Promise<number> {
  const [sink = '', table] = running.arguments;
  const from = text(running.options.from);
  const begin = from === undefined ? undefined : parseFrom(from, { sink, table });
  const body = given({ table, sort_column: begin?.column, start_position: begin?.value });
  return await begun(running, { route: 'POST /api/sinks/:sink/backfills', params: { sink }, body });
}

export async function replay(running: Running): Promise<number> {
  const { options, client, everywhere } = running;
  const [retention = '', sink] = running.arguments;
  const { since, until, fromSeq: from_seq, toSeq: to_seq, key: record_pks, dryRun } = options;
  const route = 'POST /api/change_retentions/:sink/replays';
  const body = { sink, ...given({ since, until, from_seq, to_seq, record_pks }) };
  if (dryRun !== true) return await begun(running, { route, params: { sink: retention }, body });
  const answer = await client.ask({ route, params: { sink: retention }, body: { ...body, dry_run: true } });
  const counts = readJson(answer.text);
  const said = ['entries', 'inserts', 'updates', 'deletes'].map((key) => `  ${key.padEnd(10)}${textAt(counts, key)}\n`);
  process.stdout.write(
    everywhere.json ? `${answer.text}\n` : `to be sent from ${retention} to ${sink}\n${said.join('')}`,
  );
  return 0;
}

export async function verify(running: Running): Promise<number> {
  const { client, options, everywhere } = running;
  const [sink = ''] = running.arguments;
  const body = given({ repair: options.repair, refresh_ms: options.refresh });
  const request = { route: 'POST /api/sinks/:sink/verifications', params: { sink }, body };
  return await begun(running, request, async (id) => {
    if (everywhere.json) return;
    const limit = String(Math.min(Math.max(Number(options.show), 1), 500));
    const answer = await client
      .ask({ route: 'GET /api/operations/:id/differences', params: { id }, query: { limit } })
      .catch(without('read:data'));
    const rows = answer === undefined ? [] : rowsOf(readJson(answer.text));
    if (rows.length > 0) process.stdout.write(tellRows(rows, DIFFERENCE));
  });
}

const DIFFERENCE = { kind: 'kind', index: 'index', _id: 'id', table: 'table', fields: 'fields', reason: 'reason' };

/** What a token without that scope is not shown. */
const without =
  (scope: string) =>
  (error: MillraceError): undefined => {
    if (error.code !== 'forbidden') throw error;
    process.stderr.write(`The differences are not shown: the token does not have the scope ${scope}\n`);
  };

export async function rebuild(running: Running): Promise<number> {
  const [sink = ''] = running.arguments;
  const { index, transform, name, alias } = running.options;
  const body = { index, ...given({ transform, name, alias }) };
  return await begun(running, { route: 'POST /api/sinks/:sink/rebuilds', params: { sink }, body });
}

export async function resync(running: Running): Promise<number> {
  const { everywhere, options } = running;
  const [database = ''] = running.arguments;
  const unasked = {
    message: `nobody can be asked whether ${database} is to be captured again`,
    remedy: `bin/millrace resync ${database} --yes`,
  };
  const question = `Capture ${database} again, and send all rows of its sinks? [y/N] `;
  if (!everywhere.yes && !(await isAgreed(person(), question, unasked))) {
    process.stdout.write('Nothing was done.\n');
    return 1;
  }
  const body = { force: options.force === true, verify: options.verify !== false };
  return await begun(running, { route: 'POST /api/postgres_databases/:database/resyncs', params: { database }, body });
}
