/** A file that is well by itself, applied beside what was made without it. */
import { expect } from 'chai';
import { applyConfig } from '../../../src/catalog/apply/apply.ts';
import { changeThing } from '../../../src/catalog/apply/change-thing.ts';
import { MillraceError } from '../../../src/model/errors.ts';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { code, KEYS, parse, retention, SHOP } from '../support.ts';

describe('a file beside things that were made without it', () => {
  let messages: MessageDatabase;
  const deps = () => ({ db: messages.db, keys: KEYS });
  const apply = async (text: string, options: object = {}) =>
    await applyConfig(deps(), parse(text).config, { from: 'start', ...options });
  const make = async (type: 'sink' | 'database' | 'change_retention', body: object) =>
    await changeThing(deps(), { type, body: { ...body }, ifMatch: null });
  const refused = async (text: string): Promise<string[]> => {
    const error = await apply(text).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof MillraceError)) throw error ?? new Error('it was applied');
    return error.faults.map(({ field, message }) => `${field} ${message}`);
  };
  const sink = { name: 'made', database: 'shop', filter: 'f', destination: { type: 'pull' } };
  const at = (name: string): string => `postgres://app:x@DB.example.com:6432/${name}`;

  beforeEach(async () => {
    messages = await messageDatabase();
  });
  afterEach(async () => await messages.drop());

  it('is refused a function of a type that does not fit where it is used there, until it is used no more', async () => {
    await apply(SHOP + code('filter'));
    await make('sink', sink);
    const other = SHOP + code('transform');
    expect(await refused(other)).to.deep.equal(['f.type does not fit made, whose filter it is: that takes filter']);
    await messages.db.query("update millrace_private.sinks set managed_by = 'file'");
    expect(await refused(other)).to.have.lengthOf(1);
    const { changed, deleted } = await apply(other, { prune: true });
    expect([changed, deleted]).to.deep.equal([['function f'], ['sink made']]);
  });

  it('is refused a slot, triggers and a change table that one of them has', async () => {
    const parts = { publication: { name: 'p' } };
    const slot = { name: 'millrace', create_if_not_exists: true };
    await make('database', { name: 'other', url: at('other'), slot, ...parts });
    const taken = 'shop.slot has the slot of a database that the file does not name, on the same server';
    expect(await refused(SHOP)).to.deep.equal([taken]);
    const own = SHOP.replaceAll('name: millrace', 'name: own');
    expect((await apply(own)).created).to.deep.equal(['database shop']);
    const wider = own.replace('name: shop', 'name: shop\n    pool_size: 7');
    const slotOfOther = async (name: string) =>
      await messages.db.query(
        `update millrace_private.databases set settings = jsonb_set(settings, '{slot,name}', to_jsonb($1::text))
          where name = 'other'`,
        [name],
      );
    await slotOfOther('own');
    expect((await apply(own)).changed, 'a start goes on').to.deep.equal([]);
    expect(await refused(wider)).to.deep.equal([taken]);
    const read = `sinks: [{ name: reader, database: shop, destination: { type: pull } }]`;
    expect(await refused(own + read)).to.deep.equal([
      'reader.database reads from shop, which has no slot of its own: another database on its server has that one',
    ]);
    await slotOfOther('millrace');
    await make('database', { name: 'noted', url: at('shop'), capture: 'triggers', ...parts });
    expect(await refused(own.replace('name: shop', 'name: shop\n    capture: triggers'))).to.deep.equal([
      'shop.capture is triggers, and a database that the file does not name captures the same database by triggers',
    ]);
    const [source, into] = ['source', 'destination'].map((end) => ({ [`${end}_database`]: 'shop' }));
    const tables = { source_table_name: 'a', destination_table_name: 'b' };
    await make('change_retention', { name: 'forth', ...source, ...into, ...tables });
    const back = (from: string): string => `${own}change_retentions:\n${retention('back', from, 'a')}`;
    expect(await refused(back('b'))).to.deep.equal([
      'back.destination_table_name leads back to the source table, in a circle',
    ]);
    expect((await apply(back('c'))).created).to.deep.equal(['change retention back']);
  });
});
