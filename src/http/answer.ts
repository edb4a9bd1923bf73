/** How answers leave: JSON, never cached, with a length. */
import type { Response } from 'express';

/** Sends a body that is JSON text already. */
export function sendText(response: Response, status: number, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': body.byteLength,
    'Cache-Control': 'no-store',
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

export function sendJson(response: Response, status: number, value: unknown): void {
  sendText(response, status, JSON.stringify(value));
}
