/**
 * A cheap search engine for benchmarks: counts operations and answers them all with 200, without parsing anything, so
 * that it is never what is measured. `/hook` is an endpoint of webhooks, whose messages it counts likewise, and `/rows` takes
 * the rows of the drain as JSON, however they are wrapped. Run as a process of its own: prints its port on the first line; `GET /stats` answers
 * `{"requests","operations","bytes","firstAt","lastAt"}` (milliseconds since 1970), `POST /reset` starts anew. With ARRIVALS
 * set it looks for `"sent_at":<n>` in each document: `GET /arrivals` answers `[[n, arrival], ...]`, the arrival in
 * microseconds on the machine's monotonic clock.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const LINE_BREAK = 0x0a;
const INDEXED = '{"index":{"status":200}}';
const DELETED = '{"delete":{"status":200}}';
const DELETE = Buffer.from('{"delete":');

const MESSAGE = Buffer.from('"idempotency_key":');
/** A column of the rows that are drained. */
const ROW = Buffer.from('"account_id":');

const DELAY_MS = Number(process.env.DELAY_MS ?? 0);
const SENT_AT = /"sent_at": ?(\d+)/g;

const arrivals: [sent: number, arrived: number][] = [];
const counts = { requests: 0, operations: 0, bytes: 0, firstAt: 0, lastAt: 0 };

/** The answer to a body: one item per operation. A document follows every index line, and none a delete. */
export function answerTo(body: Buffer): { text: string; operations: number } {
  const items: string[] = [];
  let from = 0;
  while (from < body.length) {
    const isDelete = body.subarray(from, from + DELETE.length).equals(DELETE);
    items.push(isDelete ? DELETED : INDEXED);
    from = afterLine(body, from);
    if (!isDelete) from = afterLine(body, from);
  }
  return { text: `{"took":0,"errors":false,"items":[${items.join(',')}]}`, operations: items.length };
}

/** Messages of a webhook's request: each has one such key, and none in its values. */
export const messagesIn = (body: Buffer): number => timesIn(body, MESSAGE);

function timesIn(body: Buffer, key: Buffer): number {
  let count = 0;
  for (let at = body.indexOf(key); at >= 0; at = body.indexOf(key, at + key.length)) count += 1;
  return count;
}

function afterLine(body: Buffer, from: number): number {
  const end = body.indexOf(LINE_BREAK, from);
  return end === -1 ? body.length : end + 1;
}

function receive(request: IncomingMessage, response: ServerResponse): void {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    if (request.url === '/stats') return void response.end(JSON.stringify(counts));
    if (request.url === '/arrivals') return void response.end(JSON.stringify(arrivals));
    if (request.url === '/reset') {
      arrivals.length = 0;
      Object.assign(counts, { requests: 0, operations: 0, bytes: 0, firstAt: 0, lastAt: 0 });
      return void response.end('{}');
    }
    const key = request.url === '/hook' ? MESSAGE : request.url === '/rows' ? ROW : undefined;
    if (!key && request.url?.endsWith('/_bulk') !== true) return void response.end('{"hits":{"hits":[]}}');
    const body = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
    if (process.env.ARRIVALS) recordArrivals(body);
    const { text, operations } = key ? { text: '', operations: timesIn(body, key) } : answerTo(body);
    counts.requests += 1;
    counts.operations += operations;
    counts.bytes += body.length;
    counts.lastAt = Date.now();
    counts.firstAt ||= counts.lastAt;
    if (DELAY_MS > 0) setTimeout(() => response.end(text), DELAY_MS);
    else response.end(text);
  });
}

function recordArrivals(body: Buffer): void {
  const arrived = Number(process.hrtime.bigint() / 1000n);
  for (const [, sent] of body.toString('latin1').matchAll(SENT_AT)) arrivals.push([Number(sent), arrived]);
}

if (import.meta.main) {
  const server = createServer(receive);
  server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () => {
    console.log((server.address() as AddressInfo).port);
  });
  process.on('SIGTERM', () => process.exit(0));
  process.on('disconnect', () => process.exit(0));
}
