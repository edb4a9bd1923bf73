/**
 * What Node cannot read as a request (headers that are too large or too slow, no HTTP at all) never becomes one: it is answered
 * on its connection, in the form of errors of the management API, and the connection ends.
 */
import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { MillraceError } from '../model/errors.ts';
import { errorAnswer } from './errors.ts';
import { SAFE_HEADERS } from './safe-headers.ts';

export function answerUnreadable(server: Server): void {
  // A connection whose answer has begun cannot take another one.
  const begun = new WeakMap<Duplex, ServerResponse>();
  server.on('request', ({ socket }, response) => void begun.set(socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const last = begun.get(socket);
    const isAnswering = last?.headersSent === true && !last.writableFinished;
    if (socket.writable && !isAnswering && error.code !== 'ECONNRESET') socket.end(answerOf(error.code));
    else socket.destroy();
  });
}

function answerOf(code: string | undefined): string {
  const id = randomUUID();
  const { status, body } = errorAnswer(refusalOf(code), id);
  const text = JSON.stringify(body);
  const headers = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `X-Request-Id: ${id}`,
    ...Object.entries(SAFE_HEADERS).map(([name, value]) => `${name}: ${value}`),
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  return `${headers.join('\r\n')}\r\n\r\n${text}`;
}

function refusalOf(code: string | undefined): MillraceError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new MillraceError('headers_too_large', 'The address and the headers have more than 16 kB together', {
        remedy: 'Send less in them: what is long belongs into the body.',
      });
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new MillraceError('request_timeout', 'The request did not arrive in time', {
        remedy: 'Send headers within 10 s, and all of it within 30 s.',
      });
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return new MillraceError('payload_too_large', 'The body has chunks with too many extensions');
    default:
      return new MillraceError('bad_request', 'This is not a request in HTTP/1.1');
  }
}
