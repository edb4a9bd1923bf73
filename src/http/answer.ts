/**
 * How answers leave: JSON, never cached, with a length. Who does not read one at a fair pace loses the connection, and with
 * it what was leased for it: we would keep it in memory until then.
 */
import type { Response } from 'express';

const SMALL = 16 * 1024;
const READ_MS = 30_000;
/** Beyond that time, for each millisecond. */
const READ_BYTES = 256;

/** What is sent: a text, or bytes in pieces. */
export type Body = string | readonly Buffer[];

/** How many bytes it has; of a text, about. */
export const sizeOf = (body: Body): number =>
  typeof body === 'string' ? body.length : body.reduce((sum, { length }) => sum + length, 0);

/** Sends a body that is JSON text already. */
export function sendText(response: Response, status: number, text: Body): void {
  // Small texts go out with the headers in one piece, large ones are not copied once more.
  const body = typeof text === 'string' && text.length > SMALL ? [Buffer.from(text)] : text;
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': typeof body === 'string' ? Buffer.byteLength(body) : sizeOf(body),
    'Cache-Control': 'no-store',
  });
  end(response, response.req.method === 'HEAD' ? undefined : body);
}

/** The rest of an answer, or all of it. */
export function end(response: Response, body: Body | undefined): void {
  if (typeof body === 'object') {
    response.cork();
    for (const piece of body) response.write(piece);
    // Before the end: what is corked in an answer without a length would come after its last chunk, and be lost.
    response.uncork();
    response.end();
  } else {
    response.end(body);
  }
  if (body === undefined || response.writableFinished) return;
  const patienceMs = READ_MS + sizeOf(body) / READ_BYTES;
  const late = setTimeout(() => response.destroy(), patienceMs);
  response.once('close', () => clearTimeout(late));
}

export function sendJson(response: Response, status: number, value: unknown): void {
  sendText(response, status, JSON.stringify(value));
}
