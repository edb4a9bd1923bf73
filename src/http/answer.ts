/**
 * How answers leave: JSON, never cached, with a length. Who does not read one at a fair pace loses the connection, and with
 * it what was leased for it: we would keep it in memory until then.
 */
import type { Response } from 'express';

const SMALL = 16 * 1024;
const READ_MS = 30_000;
/** Beyond that time, for each millisecond. */
const READ_BYTES = 256;

/** Sends a body that is JSON text already. */
export function sendText(response: Response, status: number, text: string): void {
  // Small texts go out with the headers in one piece, large ones are not copied once more.
  const body = text.length <= SMALL ? text : Buffer.from(text);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  end(response, response.req.method === 'HEAD' ? undefined : body);
}

/** The rest of an answer, or all of it. */
export function end(response: Response, body: string | Buffer | undefined): void {
  response.end(body);
  if (body === undefined || response.writableFinished) return;
  const patienceMs = READ_MS + body.length / READ_BYTES;
  const late = setTimeout(() => response.destroy(), patienceMs);
  response.once('close', () => clearTimeout(late));
}

export function sendJson(response: Response, status: number, value: unknown): void {
  sendText(response, status, JSON.stringify(value));
}
