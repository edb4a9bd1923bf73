/** A file applied again and again beside operators, and beside what was made without it. */
import { expect } from 'chai';
import { adopt, release } from '../../../src/admin/release.ts';
import { type ApplyOptions, applyConfig, planConfig } from '../../../src/catalog/apply/apply.ts';
import { MillraceError } from '../../../src/model/errors.ts';
import { MASK } from '../../../src/model/masked.ts';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { KEYS, parse, SHOP } from '../support.ts';

const FILE = `${SHOP}functions:
  - { name: open, type: filter, code: "(a, record) => record.open" }
sinks:
  - { name: worker, database: shop, filter: open, destination: { type: pull } }
  - name: index
    database: shop
    destination: { type: elasticsearch, endpoint_url: "http://h", index_name: i, auth_value: canary-one }
api_tokens:
  - { name: ops, token: k3jd8sj2ls9dk3js8dk2ls, scopes: [read] }
`;
const PAUSED = FILE.replace('name: worker,', 'name: worker, status: paused,');

describe('a declaration that is applied again', () => {
  let messages: MessageDatabase;
  const deps = () => ({ db: messages.db, keys: KEYS });
  const apply = async (text: string, options: ApplyOptions = {}) =>
    await applyConfig(deps(), parse(text).config, { from: 'start', ...options });
  const plan = async (text: string, wishes: Parameters<typeof planConfig>[2] = {}) =>
    await planConfig(deps(), parse(text).config, wishes);
  const failed = async (work: Promise<unknown>): Promise<MillraceError> => {
    const error = await work.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(MillraceError);
    return error as MillraceError;
  };
  const row = async (name = 'worker') =>
    (
      await messages.db.query<Record<string, unknown>>(
        `select s.status, s.status_by, s.managed_by, s.declared_from, s.declared_status
           from millrace_private.sinks s where s.name = $1`,
        [name],
      )
    ).rows[0];

  beforeEach(async () => {
    messages = await messageDatabase();
    await apply(FILE);
  });
  afterEach(async () => await messages.drop());

  it('makes things that are the file’s', async () => {
    const file = { managed_by: 'file', declared_from: 'start' };
    expect(await row()).to.deep.equal({ ...file, status: 'active', status_by: 'file', declared_status: 'active' });
    const { rows } = await messages.db.query(
      `select d.managed_by, d.declared_from from millrace_private.databases d
       union all select f.managed_by, f.declared_from from millrace_private.functions f
       union all select t.managed_by, t.declared_from from millrace_private.api_tokens t`,
    );
    expect(rows).to.deep.equal([file, file, file]);
  });

  it('leaves what an operator did to a status that it has not changed, over starts too', async () => {
    await messages.db.query("select millrace.pause('worker')");
    for (const _start of [1, 2]) expect(await apply(FILE)).to.deep.include({ changed: [] });
    expect(await row()).to.include({ status: 'paused', status_by: 'operator' });
    // The rest of the entry is applied all the same.
    const more = FILE.replace('type: pull', 'type: pull, max_waiting: 7');
    expect((await apply(more)).changed).to.deep.equal(['sink worker']);
    expect(await row()).to.include({ status: 'paused', status_by: 'operator' });
  });

  it('applies a status that it has changed', async () => {
    expect((await apply(PAUSED)).changed).to.deep.equal(['sink worker']);
    expect(await row()).to.include({ status: 'paused', status_by: 'file', declared_status: 'paused' });
    await messages.db.query("select millrace.resume('worker')");
    expect((await apply(PAUSED)).changed).to.deep.equal([]);
    expect(await row()).to.include({ status: 'active', status_by: 'operator' });
    expect((await apply(FILE)).changed).to.deep.equal([]);
    expect((await apply(PAUSED)).changed).to.deep.equal(['sink worker']);
    expect(await row()).to.include({ status: 'paused' });
  });

  it('takes over what was made without it, and says so', async () => {
    const sinks = parse(FILE).config.sinks.slice(0, 1);
    sinks[0]!.settings = { ...sinks[0]!.settings, name: 'made' };
    await applyConfig(deps(), { databases: [], functions: [], tokens: [], sinks });
    expect(await row('made')).to.include({ managed_by: 'api', declared_from: null, status_by: 'operator' });
    const file = FILE.replace(
      '  - name: index',
      '  - { name: made, database: shop, filter: open, destination: { type: pull } }\n  - name: index',
    );
    const { changes } = await plan(file);
    expect(changes).to.have.lengthOf(1);
    expect(changes[0]).to.deep.include({
      action: 'update',
      diff: [{ path: 'managed_by', old: 'api', new: 'file' }],
    });
    await apply(file);
    expect(await row('made')).to.include({ managed_by: 'file' });
    expect((await plan(file)).changes).to.deep.equal([]);
  });

  describe('a released thing', () => {
    beforeEach(async () => await release(messages.db, { type: 'sink', name: 'worker' }));

    it('is left alone, with a note, until it is taken back', async () => {
      const edited = FILE.replace('type: pull', 'type: pull, max_waiting: 7');
      const { changed, notes } = await apply(edited);
      expect(changed).to.deep.equal([]);
      expect(notes.join()).to.contain('bin/millrace adopt sink worker');
      expect(await row()).to.include({ managed_by: 'api' });
      const { changes } = await plan(edited, { adopt: ['sink:worker'] });
      expect(changes[0]!.diff.map(({ path }) => path)).to.deep.equal(['destination.max_waiting', 'managed_by']);
      await apply(edited, { adopt: ['sink:worker'] });
      expect(await row()).to.include({ managed_by: 'file' });
      expect(await apply(edited)).to.deep.include({ changed: [], notes: [] });
    });

    it('is released once, and taken back once', async () => {
      const worker = { type: 'sink', name: 'worker' } as const;
      expect(await failed(release(messages.db, worker))).to.include({ code: 'wrong_state' });
      await adopt(messages.db, worker);
      expect(await row()).to.include({ managed_by: 'file' });
      expect(await failed(adopt(messages.db, worker))).to.include({ code: 'wrong_state' });
      expect((await apply(FILE.replace('type: pull', 'type: pull, max_waiting: 7'))).changed).to.deep.equal([
        'sink worker',
      ]);
      for (const type of ['database', 'function'] as const) {
        const name = type === 'database' ? 'shop' : 'open';
        await release(messages.db, { type, name });
        await adopt(messages.db, { type, name });
      }
    });

    it('is named where another one is to be taken back', async () => {
      const error = await failed(plan(FILE, { adopt: ['sink:wroker'] }));
      expect(error.faults[0]).to.deep.equal({
        field: 'adopt',
        message: 'names sink:wroker, which was not released',
        remedy: 'These were released: sink:worker.',
      });
    });

    it('has no entry any more once the file of a start does not name it: then it is made without a file', async () => {
      for (const type of ['database', 'function'] as const)
        await release(messages.db, { type, name: type === 'database' ? 'shop' : 'open' });
      const isReleased = async () =>
        (
          await messages.db.query<{ name: string }>(
            `select s.name from millrace_private.sinks s where s.released
             union all select f.name from millrace_private.functions f where f.released
             union all select d.name from millrace_private.databases d where d.released order by 1`,
          )
        ).rows.map(({ name }) => name);
      const without = FILE.replace(/ {2}- \{ name: worker.*\n/, '');
      await apply(FILE);
      await apply(without, { from: 'cli' });
      expect(await isReleased(), 'of another file').to.deep.equal(['open', 'shop', 'worker']);
      await apply(without);
      expect(await isReleased()).to.deep.equal(['open', 'shop']);
      expect(await row()).to.include({ managed_by: 'api', declared_from: null, declared_status: null });
      await apply('databases: []');
      expect(await isReleased()).to.deep.equal([]);
      expect((await apply(FILE)).changed).to.include.members(['sink worker', 'database shop']);
      expect(await row()).to.include({ managed_by: 'file' });
    });

    it('is not pruned', async () => {
      const { deleted } = await apply(FILE.replace(/ {2}- \{ name: worker.*\n/, ''), { prune: true });
      expect(deleted).to.deep.equal([]);
    });
  });

  describe('with --prune', () => {
    const LESS = `${SHOP}`;

    it('deletes what files have made and this one does not name, and nothing else', async () => {
      expect((await apply(LESS)).deleted).to.deep.equal([]);
      await messages.db.query(
        "insert into millrace_private.api_tokens (name, hash, scopes) values ('made', 'x', array['read'])",
      );
      const planned = await plan(LESS, { prune: true });
      expect(
        planned.changes.map(({ action, resource_type, name }) => `${action} ${resource_type} ${name}`),
      ).to.deep.equal(['delete sink worker', 'delete sink index', 'delete function open', 'delete token ops']);
      expect((await apply(LESS, { prune: true })).deleted).to.deep.equal([
        'sink worker',
        'sink index',
        'function open',
        'token ops',
      ]);
      expect((await messages.db.query('select t.name from millrace_private.api_tokens t')).rows).to.deep.equal([
        { name: 'made' },
      ]);
    });

    it('asks for force where messages or a slot would go', async () => {
      const nothing = 'databases: []\n';
      const { losses } = await plan(nothing, { prune: true });
      expect(losses.join()).to.contain('database shop may have a replication slot');
      await messages.db.query(
        `update millrace_private.databases set settings = settings || '{"capture": "triggers"}' where name = 'shop'`,
      );
      const noted = (await plan(nothing, { prune: true })).losses.join();
      expect(noted).to.contain('drop schema millrace_capture cascade').and.not.contain('slot');
      const error = await failed(apply(nothing, { prune: true }));
      expect(error).to.include({ code: 'needs_force' });
      expect(await row()).to.not.equal(undefined);
      expect((await apply(nothing, { prune: true, force: true })).deleted).to.have.lengthOf(5);
    });

    it('refuses to take away what somebody else uses', async () => {
      await messages.db.query("update millrace_private.sinks set managed_by = 'api' where name = 'worker'");
      const error = await failed(plan('databases: []\n', { prune: true }));
      expect(error.faults.map(({ field, message }) => `${field} ${message}`)).to.deep.equal([
        'open is not named any more, and worker uses it',
        'shop is not named any more, and worker uses it',
      ]);
      // Also where the file has something else of that name.
      const token = 'api_tokens: [{ name: worker, token: k3jd8sj2ls9dk3js8dk2ls, scopes: [read] }]';
      const named = await failed(apply(`${SHOP}${token}\n`, { prune: true, force: true }));
      expect(named.faults.map(({ field }) => field)).to.deep.equal(['open']);
    });
  });

  describe('with the mask in place of a secret', () => {
    const masked = FILE.replace('canary-one', `"${MASK}"`)
      .replace('hunter22', MASK)
      .replace('k3jd8sj2ls9dk3js8dk2ls', `"${MASK}"`);

    it('keeps what is stored', async () => {
      expect((await plan(masked)).changes).to.deep.equal([]);
      expect(await apply(masked)).to.deep.include({ changed: [] });
      expect((await apply(FILE)).changed).to.deep.equal([]);
    });

    it('names every place where nothing is stored, or it was told to another server', async () => {
      const error = await failed(
        plan(
          masked
            .replace('http://h', 'http://evil')
            .replace('db.example.com', 'evil.example.com')
            .replace('name: ops', 'name: new'),
        ),
      );
      expect(error.faults.map(({ field, message }) => `${field} ${message}`)).to.deep.equal([
        `api_tokens new has the token ${MASK}, and none is stored that it could keep`,
        `shop.password is ${MASK}, which keeps the stored password, and that was given for another host or port`,
        `index.destination.auth_value is ${MASK}, which keeps the stored secret, and that was given for another server`,
      ]);
      const none = await failed(plan(masked.replace('name: index', 'name: other')));
      expect(none.faults[0]!.message).to.equal(`is ${MASK}, and no secret is stored that it could keep`);
    });
  });

  it('shows a changed secret as changed, and never the secret', async () => {
    const { changes } = await plan(
      FILE.replace('canary-one', 'canary-two')
        .replace('hunter22', 'canary-three')
        .replace('k3jd8sj2ls9dk3js8dk2ls', 'canary-four-8sj2ls9dk3js8dk2'),
    );
    const paths = changes.flatMap(({ name, diff }) =>
      diff.map(({ path, old, new: after }) => [name, path, old, after]),
    );
    expect(paths).to.deep.equal([
      ['ops', 'token', MASK, `${MASK} (changed)`],
      ['shop', 'password', MASK, `${MASK} (changed)`],
      ['index', 'destination.auth_value', MASK, `${MASK} (changed)`],
    ]);
    expect(JSON.stringify(changes)).to.not.match(/canary|hunter22|k3jd8/);
  });

  it('is refused when something was changed since it was planned', async () => {
    const { generation } = await plan(PAUSED);
    await messages.db.query("select millrace.pause('index')");
    expect(await failed(apply(PAUSED, { generation }))).to.include({ code: 'plan_outdated' });
    const again = await plan(PAUSED);
    expect((await apply(PAUSED, { generation: again.generation })).changed).to.deep.equal(['sink worker']);
    // None of these is the concern of a capture.
    const worker = { type: 'sink', name: 'worker' } as const;
    for (const change of [
      async () => await apply('users: [{ email: ann, password: j2ls9dk3js8 }]'),
      async () => await apply('api_tokens: [{ name: late, token: j2ls9dk3js8dk2lsk3jd8s, scopes: [read] }]'),
      async () => await messages.db.query("update millrace_private.api_tokens set scopes = '{admin}'"),
      async () => await release(messages.db, worker),
      async () => await adopt(messages.db, worker),
    ]) {
      const before = await plan(PAUSED, { prune: true });
      await change();
      const late = await failed(apply(PAUSED, { prune: true, generation: before.generation }));
      expect(late, String(change)).to.include({ code: 'plan_outdated' });
    }
    const kept = await plan(PAUSED);
    await messages.db.query('update millrace_private.api_tokens set last_used_at = now()');
    await apply(PAUSED, { generation: kept.generation });
  });
});
