/** `millrace sink preview`: messages of a sink on their way, with what was made of each and what its destination said. */
import { printableOn } from '../../model/printable.ts';
import { stopping } from '../stopping.ts';
import { sleep } from '../terminal.ts';
import { type OwnCommand, type Running, wholeNumber } from './command.ts';
import { oneLine, readJson } from './json.ts';
import { at, rowsOf, textAt } from './tell.ts';

const LOOK_MS = 1_000;

export const PREVIEW: OwnCommand = {
  words: 'preview <sink>',
  about:
    'follow messages of a sink as they pass through, one a second, until Ctrl-C: what was captured, sent and answered',
  flags: [{ flags: '--seconds <number>', about: 'how long recording continues after the last request: 1 to 600' }],
  asks: ['POST /api/sinks/:sink/preview', 'GET /api/sinks/:sink/preview'],
  examples: ['preview products-index', 'preview products-index --json --timeout 60'],
  watches: true,
  run,
};

async function run(running: Running): Promise<number> {
  const {
    client,
    everywhere,
    options,
    arguments: [sink = ''],
  } = running;
  const stop = stopping(everywhere.timeoutMs);
  const route = 'POST /api/sinks/:sink/preview';
  const body = options.seconds === undefined ? {} : { seconds: wholeNumber('--seconds')(String(options.seconds)) };
  let after = print(running, (await client.ask({ route, params: { sink }, body })).text, 0);
  while (!stop.signal.aborted) {
    await sleep(LOOK_MS, stop.signal);
    const query = { after: String(after) };
    const { text } = await client.ask({ route: 'GET /api/sinks/:sink/preview', params: { sink }, query });
    after = print(running, text, after);
  }
  return stop.exitCode();
}

/** The last that was shown. */
function print({ everywhere }: Running, text: string, after: number): number {
  const fresh = rowsOf(readJson(text)).toReversed();
  for (const row of fresh)
    process.stdout.write(`${everywhere.json ? oneLine(row) : printableOn(process.stdout, lineOf(row))}\n`);
  return Math.max(after, ...fresh.map((row) => Number(at(row, 'id'))));
}

function lineOf(row: unknown): string {
  const of = (path: string): string => textAt(row, `steps.${path}`);
  const shaped = at(row, 'steps.shaped') === null ? [] : [`shaped in ${of('shaped.took_ms')} ms`];
  const isSent = at(row, 'steps.sent') !== null;
  const sent = isSent ? [`sent in ${of('sent.took_ms')} ms: ${oneLine(at(row, 'steps.sent.deliveries'))}`] : [];
  const answer = ['outcome', 'status', 'type', 'text'].map((key) => of(`answer.${key}`)).filter(Boolean);
  const place = `${textAt(row, 'table_schema')}.${textAt(row, 'table_name')}`;
  const head = [textAt(row, 'at'), textAt(row, 'action'), place, textAt(row, 'record_pk')].filter(Boolean).join(' ');
  return [head, ...shaped, ...sent, answer.join(' ')].join('; ');
}
