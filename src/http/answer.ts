/** How answers leave: JSON, never cached, with a length. */
import type { Response } from 'express';

const SMALL = 16 * 1024;

/** Sends a body that is JSON text already. */
export function sendText(response: Response, status: number, text: string): void {
  // Small texts go out with the headers in one piece, large ones are not copied once more.
  const body = text.length <= SMALL ? text : Buffer.from(text);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

export function sendJson(response: Response, status: number, value: unknown): void {
  sendText(response, status, JSON.stringify(value));
}
