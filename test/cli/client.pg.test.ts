/** What a command asks over HTTP, and what it does in its own process: the same answers, the same errors. */
import { expect } from 'chai';
import type { Client, Request } from '../../src/cli/client/client.ts';
import { withProcess } from '../../src/cli/client/in-process.ts';
import { overHttp } from '../../src/cli/client/over-http.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { type Managed, managed } from '../api/support.ts';
import { SECRET_KEY } from '../catalog/support.ts';
import { startCli } from '../support/processes/cli.ts';

const told = async (client: Client, request: Request) => {
  try {
    const { status, text } = await client.ask(request);
    return { status, json: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof MillraceError)) throw error;
    const faults = error.faults.map(({ field, message, remedy }) => [
      field,
      [message, remedy].filter(Boolean).join('. '),
    ]);
    return { code: error.code, message: error.message, remedy: error.remedy, faults };
  }
};

describe('cli: the client', () => {
  let all: Managed;
  let env: NodeJS.ProcessEnv;
  before(async () => {
    all = await managed();
    env = { DATABASE_URL: all.m.url, SECRET_KEY };
  });
  after(async () => await all?.close());

  it('says the same over HTTP and in this process, answers and errors', async () => {
    const remote = overHttp(new URL(all.web.url), () => 'admin-token');
    const requests: Request[] = [
      { route: 'GET /api/sinks' },
      { route: 'GET /api/sinks', query: { health: 'fine' } },
      { route: 'GET /api/sinks', query: { status: 'paused' } },
      { route: 'GET /api/sinks/:sink', params: { sink: 'orders' } },
      { route: 'GET /api/sinks/:sink', params: { sink: 'a/b?c' } },
      { route: 'GET /api/change_retentions/:sink', params: { sink: 'history' } },
      { route: 'GET /api/postgres_databases' },
      { route: 'GET /api/operations', query: { kind: 'nothing' } },
      { route: 'POST /api/sinks/:sink/pause', params: { sink: 'nobody' } },
      { route: 'POST /api/sinks/:sink/messages/retry', params: { sink: 'orders' }, body: { ids: ['x'] } },
      {
        route: 'POST /api/sinks/:sink/messages/retry',
        params: { sink: 'products' },
        body: { filter: {}, dry_run: true },
      },
      { route: 'POST /api/sinks/:sink/backfills', params: { sink: 'orders' }, body: { table: 'nothing.there' } },
      { route: 'POST /api/sinks/:sink/release', params: { sink: 'orders' } },
      { route: 'POST /api/sinks/:sink/release', params: { sink: 'orders' } },
      { route: 'POST /api/sinks/:sink/adopt', params: { sink: 'orders' } },
    ];
    await withProcess({ home: '/nowhere', env }, async (here) => {
      for (const request of requests) {
        // What changes something says the same the second time, or fails the same way.
        if (request.route.startsWith('POST') && !request.route.endsWith('retry')) await told(remote, request);
        const [there, same] = [await told(remote, request), await told(here, request)];
        expect(same, JSON.stringify(request)).to.deep.equal(there);
      }
    });
  });

  it('refuses what is no service, and what cannot be reached, in a sentence', async () => {
    const { port } = new URL(all.web.url);
    for (const [url, words] of [
      ['http://127.0.0.1:9/', /cannot be reached/],
      [`http://127.0.0.1:${port}/elsewhere`, /nothing at this path/],
    ] as const) {
      const { message } = await told(
        overHttp(new URL(url), () => 'admin-token'),
        { route: 'GET /api/sinks' },
      );
      expect(message).to.match(words);
    }
  });

  it('is what commands use: words for people, JSON as it came, errors on stderr, exit codes', async () => {
    const remote = { MILLRACE_URL: all.web.url, MILLRACE_TOKEN: 'admin-token' };
    const document = await startCli(['openapi'], { MILLRACE_URL: all.web.url }).ended(60_000);
    expect([document.code, document.stderr]).to.deep.equal([0, '']);
    expect(JSON.parse(document.stdout)).to.have.property('openapi', '3.1.0');
    const call = (args: string[], more: NodeJS.ProcessEnv = remote) => startCli(args, more).ended(60_000);
    const [paused, list, here, unknown, counted] = await Promise.all([
      call(['sink', 'pause', 'orders']),
      call(['sinks', '--json', '--quiet']),
      call(['databases'], env),
      call(['retention', 'show', 'nobody', '--json']),
      call(['retry', 'products', '--dry-run']),
    ]);
    expect(paused).to.deep.equal({ code: 0, stdout: 'orders is paused: its messages are kept\n', stderr: '' });
    expect(JSON.parse(list.stdout).data.map(({ name }: { name: string }) => name)).to.deep.equal([
      'idle',
      'orders',
      'products',
    ]);
    expect(here.stdout).to.match(/ name .* state .*\n-+\+.*\n other .*\n shop /s);
    expect([unknown.code, unknown.stdout]).to.deep.equal([1, '']);
    expect(JSON.parse(unknown.stderr)).to.include({ code: 'not_found' }).and.to.have.property('request_id');
    expect(counted.stdout).to.match(/^\d+ messages? of products would be tried again\n$/);
    const [counts, filtered, who, noTable] = await Promise.all([
      call(['pending']),
      call(['pending', '--since', 'yesterday']),
      call(['whoami']),
      call(['backfill', 'orders', 'a.b.c'], env),
    ]);
    expect(noTable.stderr.split('\n')[0]).to.equal("'a.b.c' names no table");
    expect(counts.stdout).to.match(/ sink .* pending /);
    expect(filtered).to.deep.equal({
      ...{ code: 1, stdout: '' },
      stderr: 'these options are for the messages of one sink\n  Name a sink: bin/millrace pending SINK\n',
    });
    expect(who.stdout)
      .to.match(/^scopes +admin$/m)
      .and.not.include('csrf');
  });
});
