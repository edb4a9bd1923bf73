/**
 * The web console: its files, and its one page for every address that is not the API's. The browser is told to run, load and frame
 * nothing but what comes from here; styles that are made on the page carry the answer's nonce.
 */
import { randomBytes } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import { MillraceError } from '../../model/errors.ts';
import { end } from '../answer.ts';
import type { ConsoleFile, ConsoleFiles, Encoding } from '../console-files.ts';
import type { Mount } from '../route.ts';

const YEAR = 'public, max-age=31536000, immutable';
/** What is never a page, however it is spelled: routes take it in any case. */
const NO_PAGE = /^\/(?:api|assets|livez|readyz|healthz|metrics)(?:\/|$)/i;

const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ');

/** Every answer names the build, also those of the API, so that an open page sees a newer one. Mounted before all others. */
export function consoleBuild({ build }: ConsoleFiles): Mount {
  return (router) => {
    router.use((_request, response, next) => {
      response.setHeader('X-Millrace-Build', build);
      next();
    });
  };
}

/** `files`: undefined where nothing is built; the API does without. Mounted behind all others. */
export function consoleRoutes(files: ConsoleFiles | undefined): Mount {
  return (router) => {
    if (files !== undefined) router.route('/assets/:name').get(sendAsset(files)).head(sendAsset(files));
    router.use((request, response, next) => {
      if (!wantsPage(request)) return next();
      sendPage(request, response, files);
    });
  };
}

function wantsPage(request: Request): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  // curl and its like take anything, and get what they always got.
  return !NO_PAGE.test(request.path) && request.accepts(['text/plain', 'text/html']) === 'text/html';
}

function sendPage(request: Request, response: Response, files: ConsoleFiles | undefined): void {
  const nonce = randomBytes(16).toString('base64');
  const text = files?.page.replaceAll('__NONCE__', nonce) ?? NOT_BUILT;
  const body = Buffer.from(text);
  response.writeHead(files === undefined ? 503 : 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': body.length,
    'Content-Security-Policy': policy(nonce),
    'Cache-Control': 'no-store',
    Vary: 'Accept',
  });
  end(response, request.method === 'HEAD' ? undefined : [body]);
}

const NOT_BUILT =
  '<!doctype html><html lang="en"><title>Millrace</title><p>The console is not built: npm run build, then start this role again. The API works without it.</p></html>';

function sendAsset({ assets }: ConsoleFiles): RequestHandler<{ name: string }> {
  return (request, response) => {
    const file = assets.get(request.params.name);
    if (file === undefined) throw new MillraceError('not_found', 'There is nothing at this path');
    const { encoding, body } = bestOf(request, file);
    response.writeHead(200, {
      'Content-Type': file.type,
      'Content-Length': body.length,
      'Cache-Control': YEAR,
      Vary: 'Accept-Encoding',
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
    });
    end(response, request.method === 'HEAD' ? undefined : [body]);
  };
}

function bestOf(
  request: { acceptsEncodings: Request['acceptsEncodings'] },
  { body, packed }: ConsoleFile,
): { encoding?: Encoding; body: Buffer } {
  const there = (['br', 'gzip'] as const).filter((encoding) => packed[encoding] !== undefined);
  const encoding = request.acceptsEncodings([...there, 'identity']);
  const found = there.find((each) => each === encoding);
  return found === undefined ? { body } : { encoding: found, body: packed[found]! };
}
