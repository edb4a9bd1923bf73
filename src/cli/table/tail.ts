/** `millrace tail`: messages of a sink as they come. Without `--ack` it leases nothing and changes nothing. */
import { printableOn } from '../../model/printable.ts';
import type { Client } from '../client/client.ts';
import { type Stopping, stopping } from '../stopping.ts';
import { now, sleep } from '../terminal.ts';
import { type Group, type Running, wholeNumber } from './command.ts';
import { oneLine, readJson } from './json.ts';
import { PATHS, PLACING, placeOf } from './messages.ts';
import { at, rowsOf, textAt } from './tell.ts';

const LOOK_MS = 1_000;
const BATCH = 100;
const MOST = 500;
/** A service that has nothing answers after so long. */
const WAIT_MS = 5_000;
/** Of the pull API. */
const PULLING = ['receive', 'ack'].map((verb) => `POST /api/http_pull_consumers/:consumer/${verb}`);

export const TAIL: Group = {
  commands: [
    {
      words: 'tail <sink>',
      about:
        'follow the messages of a sink until Ctrl-C; leases nothing, unless --ack receives and acknowledges messages',
      flags: [
        {
          flags: '--ack',
          about: 'for a pull consumer: receive each message and acknowledge it, after which it is gone',
        },
        { flags: '--batch <number>', about: 'how many at once, at most' },
      ],
      asks: [...PLACING, ...PATHS.map((path) => `GET ${path}/:sink/messages`), ...PULLING],
      examples: ['tail orders-worker', 'tail orders-worker --ack --json'],
      watches: true,
      run,
    },
  ],
};

async function run(running: Running): Promise<number> {
  const { options, everywhere } = running;
  const batch = options.batch === undefined ? BATCH : wholeNumber('--batch')(String(options.batch));
  const stop = stopping(everywhere.timeoutMs);
  await (options.ack === true ? take(running, batch, stop) : look(running, Math.min(batch, MOST), stop));
  return stop.exitCode();
}

function print({ everywhere }: Running, rows: readonly unknown[]): Promise<void> {
  const lines = rows.map((row) => (everywhere.json ? oneLine(row) : printableOn(process.stdout, lineOf(row))));
  return new Promise((resolve) => {
    if (lines.length === 0) resolve();
    else process.stdout.write(`${lines.join('\n')}\n`, () => resolve());
  });
}

/** A message as it was captured is told by its row; what a transform made of one is shown as it is. */
function lineOf(row: unknown): string {
  const given = [at(row, 'message'), at(row, 'data')].find((value) => value !== undefined);
  const message = given === undefined ? row : given;
  const of = (key: string): string => textAt(message, `metadata.${key}`) || textAt(row, key);
  const table = of('table_name') && `${of('table_schema')}.${of('table_name')}`;
  const isCaptured = at(message, 'metadata') !== undefined && at(message, 'record') !== undefined;
  return [
    of('commit_timestamp') || textAt(row, 'committed_at'),
    textAt(row, 'action') || (isCaptured ? textAt(message, 'action') : ''),
    table,
    oneLine(isCaptured ? at(message, 'record') : message),
  ]
    .filter((text) => text !== '')
    .join(' ');
}

/** Shown first, then acknowledged: what was not shown comes again. */
async function take(running: Running, batch: number, { signal }: Stopping): Promise<void> {
  const {
    client,
    arguments: [sink = ''],
  } = running;
  const ask = pullOf(client, sink);
  while (!signal.aborted) {
    const since = now();
    const rows = rowsOf(await ask('receive', { batch_size: batch, wait_for: client.isRemote ? WAIT_MS : 0 }, signal));
    await print(running, rows);
    if (rows.length > 0) await ask('ack', { ack_ids: rows.map((row) => textAt(row, 'ack_id')) });
    else if (now() - since < LOOK_MS) await sleep(LOOK_MS, signal);
  }
}

const pullOf =
  (client: Client, consumer: string) =>
  async (verb: 'receive' | 'ack', body: object, signal?: AbortSignal): Promise<unknown> => {
    const request = { route: `POST /api/http_pull_consumers/:consumer/${verb}`, params: { consumer }, body };
    try {
      return readJson((await client.ask(request, signal)).text);
    } catch (error) {
      if (signal?.aborted) return undefined;
      throw error;
    }
  };

/** The last page is read again until it is full; what was shown of it is not shown again. */
async function look(running: Running, batch: number, { signal }: Stopping): Promise<void> {
  const {
    client,
    arguments: [sink = ''],
  } = running;
  const route = `GET ${await placeOf(client, sink)}/:sink/messages`;
  let cursor: string | undefined;
  let last = 0;
  while (!signal.aborted) {
    const query = { include: 'message', limit: String(batch), cursor };
    const answer = readJson((await client.ask({ route, params: { sink }, query })).text);
    const fresh = rowsOf(answer).filter((row) => Number(at(row, 'id')) > last);
    await print(running, fresh);
    last = Math.max(last, ...fresh.map((row) => Number(at(row, 'id'))));
    const next = at(answer, 'next_cursor');
    if (typeof next === 'string') cursor = next;
    else await sleep(LOOK_MS, signal);
  }
}
