/**
 * Where a command asks, in this order: `--url`, MILLRACE_URL, DATABASE_URL, the embedded server of this folder.
 */
import { MillraceError } from '../../model/errors.ts';
import type { Everywhere } from '../everywhere.ts';
import type { Place } from '../terminal.ts';
import type { Client } from './client.ts';

export interface Reach {
  place: Place;
  options: Everywhere;
}

/** The address of the service when it is asked over HTTP. @throws MillraceError bad_setting */
function serviceAddress({ place: { env }, options }: Reach): URL | undefined {
  const given = options.url ?? env.MILLRACE_URL;
  if (given === undefined || given === '') return undefined;
  const name = options.url === undefined ? 'MILLRACE_URL' : '--url';
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '') {
    throw new MillraceError('bad_setting', `${name} is not the address of a service`, {
      remedy: 'It begins with http:// or https://, and has no password: http://127.0.0.1:7376.',
    });
  }
  return url;
}

/** Asks as long as `work` takes. */
export async function withClient<Result>(reach: Reach, work: (client: Client) => Promise<Result>): Promise<Result> {
  const url = serviceAddress(reach);
  if (url !== undefined) {
    const { overHttp } = await import('./over-http.ts');
    return await work(
      said(
        overHttp(url, () => tokenOf(reach)),
        reach.options,
      ),
    );
  }
  // It loads all that routes do.
  const { withProcess } = await import('./in-process.ts');
  return await withProcess(reach.place, async (client) => await work(said(client, reach.options)));
}

function tokenOf({ place: { env }, options }: Reach): string {
  const token = options.token ?? env.MILLRACE_TOKEN;
  if (token !== undefined && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new MillraceError('bad_setting', token ? 'This cannot be a token' : 'The service wants a token', {
    remedy: 'Set MILLRACE_TOKEN, or --token. A token is declared in api_tokens of millrace.yaml.',
  });
}

/** With `--verbose` each question is said. */
function said(client: Client, { verbose }: Everywhere): Client {
  if (!verbose) return client;
  process.stderr.write(`asking ${client.where}\n`);
  return {
    ...client,
    async ask(request, signal) {
      const since = performance.now();
      const answer = await client.ask(request, signal);
      process.stderr.write(`${request.route}: ${answer.status}, ${Math.round(performance.now() - since)} ms\n`);
      return answer;
    },
  };
}
