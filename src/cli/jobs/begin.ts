/** Jobs, begun: their id, or watched until they have ended. Who asks for what is under way already watches that. */
import { MillraceError } from '../../model/errors.ts';
import { printableOn } from '../../model/printable.ts';
import { count } from '../../model/quantity.ts';
import { millrace } from '../../model/quote.ts';
import type { Request } from '../client/client.ts';
import type { Screen, Terminal } from '../screen.ts';
import type { Running } from '../table/command.ts';
import { readJson } from '../table/json.ts';
import { at, rowsOf, textAt } from '../table/tell.ts';
import { isAgreed, remark } from '../terminal.ts';
import { ended, follow } from './follow.ts';
import { previewText } from './replay-text.ts';
import { reportText } from './report.ts';

interface Begun {
  id: string;
  /** The answer; absent: it was under way. */
  text?: string;
}

/** @throws MillraceError */
async function start({ client }: Running, request: Request): Promise<Begun> {
  try {
    const { text } = await client.ask(request);
    return { id: textAt(readJson(text), 'id'), text };
  } catch (error) {
    const id = error instanceof MillraceError && error.code === 'operation_running' ? error.facts.id : undefined;
    if (typeof id !== 'string') throw error;
    return { id };
  }
}

interface Job {
  request: Request;
  /** For people: `backfill of orders`. */
  what: string;
  /** Where progress is shown; the standard output. */
  out?: Terminal;
  /** Told when it is done. */
  tell?: (operation: unknown, screen: Screen) => Promise<void>;
}

async function begun(running: Running, { request, what, out, tell }: Job): Promise<number> {
  const { options, everywhere } = running;
  const { id, text } = await start(running, request);
  if (options.wait === false) {
    if (text === undefined && !everywhere.quiet) process.stderr.write(`A ${what} is under way: this is its id.\n`);
    process.stdout.write(everywhere.json ? `${text ?? JSON.stringify({ id })}\n` : `${id}\n`);
    return 0;
  }
  const screen = running.screen(out);
  if (text === undefined) screen.say(`A ${what} is under way: this is its progress.`);
  const { operation, left } = await follow(running, id, screen);
  if (left !== undefined) return left;
  const exitCode = ended(running, operation, screen);
  if (!everywhere.json) await tell?.(operation, screen);
  return exitCode;
}

const given = (fields: Record<string, unknown>): object =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** @throws MillraceError */
export async function backfill(running: Running): Promise<number> {
  const [sink = '', table] = running.arguments;
  const { from } = running.options;
  const begin = from === undefined ? undefined : parseFrom(String(from), { sink, table });
  const body = given({ table, sort_column: begin?.column, start_position: begin?.value });
  const request = { route: 'POST /api/sinks/:sink/backfills', params: { sink }, body };
  return await begun(running, { request, what: `backfill of ${sink}` }).catch(async (error: unknown) => {
    throw (error instanceof MillraceError && error.code === 'not_found' && (await takesNone(running, sink))) || error;
  });
}

/** Undefined: it is no change retention. */
async function takesNone({ client }: Running, sink: string): Promise<MillraceError | undefined> {
  const request = { route: 'GET /api/change_retentions/:sink', params: { sink } };
  const found = await client.ask(request).catch(() => undefined);
  if (found === undefined) return undefined;
  const message = `${sink} is a change retention: a change table takes changes only, and an existing row is none`;
  return new MillraceError('bad_request', message, { remedy: 'Name a sink: bin/millrace sinks' });
}

/** `COLUMN=VALUE` of a table. @throws MillraceError bad_request. */
export function parseFrom(
  text: string,
  { sink, table }: { sink: string; table: string | undefined },
): { column: string; value: string } {
  const place = text.indexOf('=');
  if (place < 1 || place === text.length - 1) {
    throw new MillraceError('bad_request', '--from must be COLUMN=VALUE', {
      remedy: 'The rows from that value of that column on are sent: --from updated_at=2026-01-31',
    });
  }
  if (table === undefined) {
    throw new MillraceError('bad_request', '--from needs a table, whose column it names', {
      remedy: millrace('backfill', sink, 'public.orders', '--from', text),
    });
  }
  return { column: text.slice(0, place), value: text.slice(place + 1) };
}

/** @throws MillraceError */
export async function replay(running: Running): Promise<number> {
  const { options, client, everywhere } = running;
  const [retention = '', sink = ''] = running.arguments;
  const { since, until, fromSeq: from_seq, toSeq: to_seq, key: record_pks, dryRun } = options;
  const route = 'POST /api/change_retentions/:sink/replays';
  const body = { sink, ...given({ since, until, from_seq, to_seq, record_pks }) };
  const request = { route, params: { sink: retention }, body };
  if (dryRun !== true) return await begun(running, { request, what: `replay of ${retention} to ${sink}` });
  const { text } = await client.ask({ ...request, body: { ...body, dry_run: true } });
  process.stdout.write(everywhere.json ? `${text}\n` : previewText(readJson(text), { retention, sink }));
  return 0;
}

/** The report goes out, progress is told beside it. @throws MillraceError */
export async function verify(running: Running): Promise<number> {
  const { repair, refresh, show } = running.options;
  const [sink = ''] = running.arguments;
  const body = given({ repair, refresh_ms: refresh === undefined ? undefined : Number(refresh) });
  const request = { route: 'POST /api/sinks/:sink/verifications', params: { sink }, body };
  return await begun(running, {
    ...{ request, what: `verification of ${sink}`, out: process.stderr },
    async tell(operation, screen) {
      screen.show([]);
      process.stdout.write(printableOn(process.stdout, await reportText(running.client, operation, Number(show))));
    },
  });
}

/** @throws MillraceError */
export async function rebuild(running: Running): Promise<number> {
  const [sink = ''] = running.arguments;
  const { index, transform, name, alias } = running.options;
  const body = { index, ...given({ transform, name, alias }) };
  const request = { route: 'POST /api/sinks/:sink/rebuilds', params: { sink }, body };
  return await begun(running, { request, what: `rebuild of ${sink}`, tell: tellRebuilt });
}

async function tellRebuilt(operation: unknown): Promise<void> {
  const [made, text, parked] = ['sink', 'text', 'parked'].map((key) => at(operation, `result.${key}`));
  const failed =
    typeof parked === 'number' && parked > 0
      ? `, except ${count(parked)} parked messages: bin/millrace parked ${made}`
      : '';
  process.stdout.write(`caught up: what was captured before is in the index${failed}\n${text}\n`);
}

/** One that is under way is watched without a question; one that nobody needs is refused without one. @throws MillraceError */
export async function resync(running: Running): Promise<number> {
  const { options } = running;
  const [ref = ''] = running.arguments;
  const force = options.force === true;
  const { client } = running;
  const shown = await client.ask({ route: 'GET /api/postgres_databases/:database', params: { database: ref } });
  const found = readJson(shown.text);
  const database = textAt(found, 'name');
  const isNeeded = force || textAt(found, 'state.state') === 'needs_resync';
  if (isNeeded && !(await isUnderWay(running, database)) && !(await mayBegin(running, found))) {
    remark(running, 'Nothing was done.');
    return 1;
  }
  const body = { force, verify: options.verify !== false };
  const request = { route: 'POST /api/postgres_databases/:database/resyncs', params: { database }, body };
  return await begun(running, { request, what: `resync of ${database}` });
}

async function isUnderWay({ client }: Running, database: string): Promise<boolean> {
  const query = { kind: 'resync', database, limit: '1' };
  const { text } = await client.ask({ route: 'GET /api/operations', query });
  const [last] = rowsOf(readJson(text));
  return last !== undefined && at(last, 'ended_at') === null;
}

async function mayBegin({ client, everywhere, person }: Running, found: unknown): Promise<boolean> {
  const database = textAt(found, 'name');
  const { text } = await client.ask({ route: 'GET /api/sinks', query: { database } });
  const takers = rowsOf(readJson(text)).filter((sink) => at(sink, 'status') !== 'disabled');
  const names = takers.map((sink) => textAt(sink, 'name'));
  const reason = textAt(found, 'state.reason');
  const isQuiet = everywhere.json || everywhere.quiet;
  if (!isQuiet && reason !== '') person.say(`${database}: ${reason}`);
  const sent = names.length === 0 ? '' : `, and all rows are sent to: ${names.join(', ')}`;
  if (!isQuiet) person.say(`Capture starts again from now on${sent}.`);
  if (everywhere.yes) return true;
  return await isAgreed(person, 'Begin? [y/N] ', {
    message: `sending ${database} again must be confirmed, and there is no terminal`,
    remedy: `bin/millrace resync ${database} --yes`,
  });
}
