/** Commands in a terminal, and messages that they follow. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Managed, managed } from '../api/support.ts';
import { appendMessages } from '../support/fixtures/fixtures.ts';
import { startCli } from '../support/processes/cli.ts';
import { cleanEnvironment, SECRET_KEY } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const LAUNCHER = path.join(import.meta.dirname, '../../bin/millrace');

describe('cli: in a terminal', () => {
  let all: Managed;
  const running = new Set<ChildProcess>();
  before(async () => {
    all = await managed();
  });
  afterEach(() => {
    for (const child of running) child.kill();
  });
  after(async () => await all?.close());

  /** In a pseudo-terminal of so many columns. */
  function inTerminal(words: string, { columns = 80, env = {} }: { columns?: number; env?: NodeJS.ProcessEnv } = {}) {
    const command = `stty cols ${columns}; exec "${process.execPath}" "${LAUNCHER}" ${words}`;
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { ...cleanEnvironment(), SECRET_KEY, MILLRACE_URL: all.web.url, MILLRACE_TOKEN: 'admin-token', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let text = '';
    let code: number | null | undefined;
    running.add(child);
    child.stdout.on('data', (part) => (text += part));
    child.once('close', (ended) => {
      running.delete(child);
      code = ended;
    });
    return {
      text: () => text,
      type: (keys: string) => void child.stdin.write(keys),
      async ended() {
        await until(`\`${words}\` ends: ${text}`, () => code !== undefined, 60_000);
        return { code, text };
      },
    };
  }

  it('obeys nothing in what a destination has answered', async function () {
    if ((await promisify(execFile)('script', ['--version']).catch(() => undefined)) === undefined) return this.skip();
    const no = await all.noOf('products');
    const [id] = await appendMessages(all.m.db, no, [{}]);
    await all.m.db.query(
      `insert into millrace_private.delivery_states (sink_no, id, lane, state, attempts, parked_at, stage, error)
       values ($1, $2, 0, 'parked', 1, now(), 'send', $3)`,
      [no, id, 'no\u001b]0;owned\u0007\u009b31m way\nnever'],
    );
    const { text } = await inTerminal(`message show products ${id}`).ended();
    expect(text).to.include('no·]0;owned··31m way').and.to.include('never');
    expect([...text].filter((char) => '\u001b\u0007\u009b'.includes(char))).to.deep.equal([]);
    const piped = await startCli(['message', 'show', 'products', String(id)], {
      ...{ MILLRACE_URL: all.web.url, MILLRACE_TOKEN: 'admin-token' },
    }).ended(60_000);
    expect(piped.stdout).to.include('no\u001b]0;owned');
  });

  it('obeys nothing in the name of a table that needs attention', async function () {
    if ((await promisify(execFile)('script', ['--version']).catch(() => undefined)) === undefined) return this.skip();
    const table = 'public.\u001b]0;owned\u0007\u009b2J';
    await all.m.db.query(
      `insert into millrace_private.notices (sink_no, code, table_name, message) values ($1, 'table_missing', $2, $2 || ' is missing')`,
      [await all.noOf('products'), table],
    );
    const { text } = await inTerminal('status --no-color').ended();
    expect(text).to.include('public.·]0;owned··2J is missing');
    expect([...text].filter((char) => '\u001b\u0007\u009b'.includes(char))).to.deep.equal([]);
    await all.m.db.query('delete from millrace_private.notices');
  });

  it('colours are for terminals that want them, alone', async function () {
    if ((await promisify(execFile)('script', ['--version']).catch(() => undefined)) === undefined) return this.skip();
    const [coloured, plain, none, piped] = await Promise.all([
      inTerminal('status').ended(),
      inTerminal('status --no-color').ended(),
      inTerminal('status', { env: { NO_COLOR: '1' } }).ended(),
      startCli(['status'], { MILLRACE_URL: all.web.url, MILLRACE_TOKEN: 'admin-token' }).ended(60_000),
    ]);
    const colour = '\u001b[';
    expect(coloured.text).to.include(colour);
    for (const { text } of [plain, none])
      expect(text)
        .to.match(/^Millrace \S+: \w+/)
        .and.to.not.include(colour);
    expect(piped.stdout)
      .to.match(/ orders .* pull /)
      .and.to.not.include(colour);
    expect([coloured.code, plain.code, none.code, piped.code]).to.deep.equal([0, 0, 0, 0]);
  });

  it('progress fits the terminal, a question is answered there, and Ctrl-C leaves the job', async function () {
    if ((await promisify(execFile)('script', ['--version']).catch(() => undefined)) === undefined) return this.skip();
    const watching = [40, 80].map((columns) => ({ columns, run: inTerminal('backfill orders', { columns }) }));
    for (const { run, columns } of watching) {
      await until('it waits, and says why', () => /waiting: is `bin\/mill/.test(run.text()), 60_000);
      const drawn = run
        .text()
        .split(/\r\n/)
        .filter((line) => line.includes('waiting: is'));
      expect(drawn.length).to.be.greaterThan(0);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor takes no column
      for (const line of drawn) expect(line.replaceAll(/\u001b\[\d*[A-Z]|\r/g, '').length).to.be.below(columns);
      run.type('\u0003');
      const { code, text } = await run.ended();
      expect([code, text]).to.deep.equal([130, text]);
      expect(text).to.match(/It continues without this command. To watch it: bin\/millrace operation watch \S+/);
    }
    const asked = inTerminal('retention remove history');
    await until('it asks', () => asked.text().includes('[y/N]'), 60_000);
    asked.type('n\r');
    const { code, text } = await asked.ended();
    expect(code).to.equal(1);
    expect(text).to.include('Nothing was removed.');
  });

  it('Ctrl-C at a question, at a password and in a statement ends the command, and the statement', async function () {
    if ((await promisify(execFile)('script', ['--version']).catch(() => undefined)) === undefined) return this.skip();
    const local = { env: { MILLRACE_URL: '', DATABASE_URL: all.m.url } };
    const runs = async (): Promise<boolean> =>
      (await all.m.db.query("select from pg_stat_activity where state = 'active' and query = 'select pg_sleep(901);'"))
        .rows.length > 0;
    const commands = [
      { run: inTerminal('retention remove history'), shows: '[y/N]' },
      { run: inTerminal('user create ctrl-c@example.org'), shows: 'Password: ' },
      { run: inTerminal('sql', local), shows: '=> ' },
    ];
    for (const { run, shows } of commands) await until(`it asks: ${shows}`, () => run.text().includes(shows), 60_000);
    commands[2]!.run.type('select pg_sleep(901);\r');
    await until('the statement runs', runs, 60_000);
    for (const { run } of commands) {
      run.type('\u0003');
      expect((await run.ended()).code).to.equal(130);
    }
    await until('the statement has ended', async () => !(await runs()), 60_000);
    expect((await all.web.call('GET', '/api/users')).text).to.not.include('ctrl-c@example.org');
  });

  it('a password is what was meant: keys that edit it are no part of it, and the end of input sets none', async function () {
    if ((await promisify(execFile)('script', ['--version']).catch(() => undefined)) === undefined) return this.skip();
    const run = inTerminal('user create keys@example.org');
    await until('it asks', () => run.text().includes('Password: '), 60_000);
    // Ctrl-U, Backspace as some terminals send it, the arrow to the left, an emoji that is taken back.
    run.type('wrong\u0015long enouX\bg\u001b[D\u001b[C\u{1f600}\u007fh\r');
    const { code, text } = await run.ended();
    expect([code, text]).to.deep.equal([0, text]);
    expect(text).to.not.include('long').and.not.include('\u{1f600}');
    const login = { email: 'keys@example.org', password: 'long enough' };
    expect((await all.web.call('POST', '/api/sessions', { token: null, body: login })).status).to.equal(200);
    const none = inTerminal('user create none@example.org');
    await until('it asks', () => none.text().includes('Password: '), 60_000);
    none.type('\u0004');
    expect((await none.ended()).code).to.equal(1);
  });

  it('tail shows what comes, and acknowledges it where it is told to alone; over HTTP and on DATABASE_URL', async () => {
    const no = await all.noOf('orders');
    const record = '{"id":12345678901234567890}';
    await appendMessages(all.m.db, no, [{ record }]);
    const remote = { MILLRACE_URL: all.web.url, MILLRACE_TOKEN: 'admin-token' };
    const direct = { DATABASE_URL: all.m.url };
    const pendingNow = async (): Promise<number> =>
      (await all.web.call('GET', '/api/sinks/orders/messages')).json.data.length;
    for (const env of [remote, direct]) {
      const looking = startCli(['tail', 'orders'], env);
      await until(
        'it is shown',
        () => looking.output().includes(`insert public.orders {"id": 12345678901234567890}`),
        60_000,
      );
      looking.terminate();
      expect((await looking.ended()).code).to.equal(143);
    }
    expect(await pendingNow()).to.equal(1);
    for (const env of [direct, remote]) {
      const taking = startCli(['tail', 'orders', '--ack', '--json'], env);
      await until('it is shown', () => taking.output().includes('12345678901234567890'), 60_000);
      await until('it is acknowledged', async () => (await pendingNow()) === 0, 60_000);
      taking.interrupt();
      expect((await taking.ended()).code).to.equal(130);
      await appendMessages(all.m.db, no, [{ record }]);
    }
  });

  it("tail shows what a transform made, and what is in Sequin's shape, before it acknowledges it", async () => {
    const remote = { MILLRACE_URL: all.web.url, MILLRACE_TOKEN: 'admin-token' };
    const direct = { DATABASE_URL: all.m.url };
    const payloads = ['[1,"a"]', '{}', '"text"', 'null', '{"ack_id":"mine"}', null];
    await all.m.db.query("select millrace.resume('idle')");
    for (const [sink, env] of [
      ['orders', remote],
      ['orders', direct],
      ['idle', remote],
      ['idle', direct],
    ] as const) {
      const no = await all.noOf(sink);
      await all.m.db.query('delete from millrace_private.messages where sink_no = $1', [no]);
      const added = payloads.map(() => ({ record: '{"id":12345678901234567890}' }));
      await all.m.db.query(
        `update millrace_private.messages m set payload = p.payload from unnest($2::bigint[], $3::text[]) p (id, payload)
          where m.sink_no = $1 and m.id = p.id`,
        [no, await appendMessages(all.m.db, no, added), payloads],
      );
      for (const [flags, before] of [
        [[], '2026-11-21T08:00:00.123456Z insert public.orders '],
        [['--ack'], ''],
      ] as const) {
        const running = startCli(['tail', sink, ...flags], env);
        const shown = (): string[] => running.output().trim().split('\n');
        await until('all are shown', () => shown().length >= payloads.length, 30_000).finally(() =>
          running.interrupt(),
        );
        await running.ended();
        expect(shown().slice(0, -1)).to.deep.equal(
          ['[1,"a"]', '{}', '"text"', 'null', '{"ack_id": "mine"}'].map((text) => before + text),
        );
        expect(shown().at(-1)).to.match(/Z insert public.orders {"id": 12345678901234567890}$/);
      }
      expect((await all.m.db.query('select from millrace_private.messages where sink_no = $1', [no])).rows).to.be.empty;
    }
  });

  it('who is read no further ends like other programs, and acknowledges nothing that nobody has read', async () => {
    const no = await all.noOf('orders');
    await all.m.db.query('delete from millrace_private.messages where sink_no = $1', [no]);
    await appendMessages(all.m.db, no, [{ record: '{"id":1}' }]);
    const unread = async (...words: string[]): Promise<[number, string]> => {
      const env = { ...cleanEnvironment(), MILLRACE_URL: all.web.url, MILLRACE_TOKEN: 'admin-token' };
      const child = spawn(process.execPath, [LAUNCHER, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.destroy();
      let errors = '';
      child.stderr.on('data', (part) => (errors += part));
      const [code] = (await once(child, 'close')) as [number];
      return [code, errors];
    };
    const ends = [
      unread('sink', 'list'),
      unread('config', 'export'),
      unread('status', '--json'),
      unread('tail', 'orders'),
    ];
    for (const ended of await Promise.all([...ends, unread('tail', 'orders', '--ack')]))
      expect(ended).to.deep.equal([141, '']);
    expect((await all.web.call('GET', '/api/sinks/orders/messages')).json.data).to.have.length(1);
  });

  it('the launcher on another Node runs the bundled one, or says what is missing', async function () {
    const node = ['/usr/bin/node', '/usr/local/bin/node'];
    const versions = await Promise.all(
      node.map((one) => promisify(execFile)(one, ['--version']).catch(() => ({ stdout: '' }))),
    );
    const other = node[versions.findIndex(({ stdout }) => /^v(18|20|22)\./.test(stdout))];
    if (other === undefined) return this.skip();
    const { stdout } = await promisify(execFile)(other, [LAUNCHER, 'whoami', '--json'], {
      env: { ...cleanEnvironment(), MILLRACE_URL: all.web.url, MILLRACE_TOKEN: 'admin-token' },
    });
    expect(JSON.parse(stdout).scopes).to.deep.equal(['admin']);
  });
});
