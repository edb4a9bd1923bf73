/** What was released from a file, and renamed since: its old entry has no effect, whatever it is and whatever is asked for. */
import { expect } from 'chai';
import { adopt, release } from '../../../src/admin/release.ts';
import { type ApplyOptions, applyConfig, planConfig } from '../../../src/catalog/apply/apply.ts';
import { changeThing } from '../../../src/catalog/apply/change-thing.ts';
import { deleteSink } from '../../../src/catalog/apply/delete-sink.ts';
import type { ThingType } from '../../../src/catalog/apply/stored.ts';
import { MillraceError } from '../../../src/model/errors.ts';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { KEYS, parse, SHOP } from '../support.ts';

const WORKER = '  - { name: worker, database: shop, transform: shape, destination: { type: pull } }\n';
const FILE = `${SHOP}functions:
  - { name: shape, type: transform, code: "(action, record) => record" }
sinks:
${WORKER}api_tokens:
  - { name: app, token: k3jd8sj2ls9dk3js8dk2ls, scopes: ["consume:worker"] }
change_retentions:
  - { name: history, source_database: shop, source_table_name: a, destination_database: shop, destination_table_name: b }
`;
const THINGS: [ThingType, string][] = [
  ['sink', 'worker'],
  ['change_retention', 'history'],
  ['function', 'shape'],
  ['database', 'shop'],
];

describe('a released thing that is renamed', () => {
  let m: MessageDatabase;
  const deps = () => ({ db: m.db, keys: KEYS });
  const apply = async (text: string, options: ApplyOptions = {}) =>
    await applyConfig(deps(), parse(text).config, { from: 'start', ...options });
  const plan = async (text: string, wishes: Parameters<typeof planConfig>[2] = {}) =>
    await planConfig(deps(), parse(text).config, wishes);
  const rename = async (type: ThingType, ref: string, name: string) =>
    await changeThing(deps(), { type, ref, body: { name }, ifMatch: null });
  const all = async () =>
    (
      await m.db.query<{ text: string }>(
        `select concat_ws(' ', 'database', d.name, d.managed_by) as text from millrace_private.databases d
         union all select concat_ws(' ', 'function', f.name, f.managed_by) from millrace_private.functions f
         union all select concat_ws(' ', 'sink', s.name, s.managed_by) from millrace_private.sinks s order by 1`,
      )
    ).rows.map(({ text }) => text);

  beforeEach(async () => {
    m = await messageDatabase();
    await apply(FILE);
  });
  afterEach(async () => await m.drop());

  /** All of the file, each with `new-` before its name. */
  async function renameAll(): Promise<void> {
    for (const [type, name] of THINGS) await release(m.db, { type, name });
    for (const [type, name] of THINGS) {
      const { warnings } = await rename(type, name, `new-${name}`);
      expect(warnings[0]).to.include(`may still have the entry ${name}: it stays without effect`);
    }
  }
  const RENAMED = ['database new-shop api', 'function new-shape api', 'sink new-history api', 'sink new-worker api'];

  it('is not made a second time by the entry that it had, and the plan says so', async () => {
    await renameAll();
    for (const prune of [false, true]) {
      const planned = await plan(FILE, { prune });
      expect(planned.changes).to.deep.equal([]);
      for (const [type, name] of THINGS)
        expect(planned.notes.join('\n')).to.include(
          `new-${name} was released from the file as ${name}, so the entry ${name} has no effect. Remove it, or call it new-${name} ` +
            `and take that back: bin/millrace adopt ${type} new-${name}`,
        );
      for (const from of ['start', 'cli', 'http'])
        expect(await apply(FILE, { prune, from, force: true })).to.deep.include({
          created: [],
          changed: [],
          deleted: [],
        });
    }
    expect(await all()).to.deep.equal(RENAMED);
  });

  it('nor after another name, and it has its entry again under the first one', async () => {
    await renameAll();
    await rename('sink', 'new-worker', 'third');
    expect((await plan(FILE)).changes).to.deep.equal([]);
    await rename('sink', 'third', 'worker');
    expect((await plan(FILE)).notes.join())
      .to.include('bin/millrace adopt sink worker')
      .and.not.include('third');
    await apply(FILE, { adopt: ['sink:worker'] });
    expect(await all()).to.include('sink worker file');
  });

  it('keeps who may consume it, though the file names it as it was', async () => {
    await renameAll();
    await apply(FILE);
    const { rows } = await m.db.query('select t.scopes from millrace_private.api_tokens t');
    expect(rows).to.deep.equal([{ scopes: ['consume:new-worker'] }]);
  });

  it('is what a new entry means that names it as it was', async () => {
    await renameAll();
    const more = FILE.replace(WORKER, `${WORKER}${WORKER.replace('worker', 'second')}`).replace(
      'change_retentions:\n',
      'change_retentions:\n  - { name: other, source_database: shop, source_table_name: c, destination_database: shop, destination_table_name: d }\n',
    );
    expect((await apply(more)).created).to.deep.equal(['sink second', 'change retention other']);
    const { rows } = await m.db.query(
      `select s.name, s.settings ->> 'transform' as transform, s.settings ->> 'database' as database,
              s.settings -> 'destination' ->> 'database' as "into"
         from millrace_private.sinks s where s.managed_by = 'file' order by s.name`,
    );
    expect(rows).to.deep.equal([
      { name: 'other', transform: null, database: 'new-shop', into: 'new-shop' },
      { name: 'second', transform: 'new-shape', database: 'new-shop', into: null },
    ]);
    expect((await plan(more)).changes).to.deep.equal([]);
  });

  it('is the file’s again under its new name, and the old entry is another thing’s from then on', async () => {
    await renameAll();
    const renamed = FILE.replaceAll('worker', 'new-worker');
    expect((await plan(renamed)).notes.join()).to.include('bin/millrace adopt sink new-worker');
    await adopt(m.db, { type: 'sink', name: 'new-worker' });
    // Given back, while the file has the old entry still: nothing is doubled, and nothing goes.
    const planned = await plan(FILE, { prune: true });
    expect(planned.changes).to.deep.equal([]);
    expect(planned.notes.join('\n')).to.include(
      'sink new-worker is still called worker in the file, so that entry has no effect. Call the entry new-worker',
    );
    expect(await apply(FILE, { prune: true })).to.deep.include({ created: [], changed: [], deleted: [] });
    expect((await apply(renamed)).created).to.deep.equal([]);
    expect((await apply(renamed.replace('sinks:\n', `sinks:\n${WORKER}`))).created).to.deep.equal(['sink worker']);
    expect(await all()).to.include.members(['sink new-worker file', 'sink worker file']);
  });

  it('has lost its entry once the file of a start has it no more', async () => {
    await renameAll();
    const without = FILE.replace(WORKER, '').replace('"consume:worker"', 'read');
    await apply(without, { from: 'cli' });
    expect((await apply(FILE, { from: 'cli' })).created, 'of another file').to.deep.equal([]);
    await apply(without);
    expect((await apply(FILE)).created).to.deep.equal(['sink worker']);
    expect(await all()).to.include.members(['sink new-worker api', 'sink worker file']);
  });

  it('leaves the entry to another thing when that is asked for, and not to one that has got its name meanwhile', async () => {
    await renameAll();
    const destination = { type: 'pull', max_waiting: 7 };
    await changeThing(deps(), {
      type: 'sink',
      body: { name: 'worker', database: 'new-shop', destination },
      ifMatch: null,
    });
    expect((await plan(FILE)).changes).to.deep.equal([]);
    await apply(FILE, { adopt: ['sink:worker'] });
    expect(await all()).to.include.members(['sink new-worker api', 'sink worker file']);
    expect((await plan(FILE)).changes).to.deep.equal([]);
    const wrong = await plan(FILE, { adopt: ['sink:new-worker'] }).catch((error: unknown) => error);
    expect(wrong).to.be.instanceOf(MillraceError);
  });

  it('says under which name it would come back when it is deleted', async () => {
    await renameAll();
    const deletion = { type: 'sink', ref: 'new-worker', ifMatch: null, force: false, release: false } as const;
    const { warnings } = await deleteSink(deps(), deletion);
    expect(warnings[0]).to.include('makes it again at the next apply, as worker: take it out there, too');
    expect((await apply(FILE)).created).to.deep.equal(['sink worker']);
  });
});
