import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply.ts';
import { findToken } from '../../src/catalog/tokens.ts';
import { MillraceError } from '../../src/model/errors.ts';
import { type MessageDatabase, messageDatabase } from '../support/message-database.ts';
import { KEYS, parse } from './support.ts';

const ONE = 'k3jd8sj2ls9dk3js8dk2ls';
const TWO = 'p0oiu7ytre5wq2lkjh8gfd';

describe('API tokens', () => {
  let messages: MessageDatabase;
  const declare = (...tokens: [string, string, string?][]): Promise<{ created: string[]; changed: string[] }> => {
    const entries = tokens.map(([name, token, scopes]) => ({ name, token, scopes: (scopes ?? 'admin').split(' ') }));
    return applyConfig({ db: messages.db, keys: KEYS }, parse(JSON.stringify({ api_tokens: entries })).config);
  };

  beforeEach(async () => {
    messages = await messageDatabase();
  });
  afterEach(async () => await messages.drop());

  it('are found with their scopes, and only when they are known', async () => {
    expect(await findToken(messages.db, ONE)).to.equal(undefined);
    await declare(['a', ONE, 'read admin']);
    expect(await findToken(messages.db, ONE)).to.deep.equal(['read', 'admin']);
    expect(await findToken(messages.db, TWO)).to.equal(undefined);
    expect(await findToken(messages.db, '')).to.equal(undefined);
  });

  it('stop working within five seconds of being revoked, and a restart does not bring them back', async () => {
    await declare(['a', ONE]);
    let now = 1_000;
    const find = () => findToken(messages.db, ONE, { now: () => now });
    expect(await find()).to.deep.equal(['admin']);
    await messages.db.query('update millrace_private.api_tokens set revoked_at = now()');
    now += 4_999;
    expect(await find()).to.deep.equal(['admin']);
    now += 1;
    expect(await find()).to.equal(undefined);
    await declare(['a', ONE, 'read']);
    expect(await find()).to.equal(undefined);
    await declare(['a', TWO]);
    expect(await findToken(messages.db, TWO)).to.deep.equal(['admin']);
  });

  it('are renamed, replaced and given other scopes, without a change of the catalog', async () => {
    await declare(['a', ONE]);
    expect((await declare(['b', ONE])).changed).to.deep.equal(['token b']);
    expect((await declare(['b', TWO])).changed).to.deep.equal(['token b']);
    expect((await declare(['b', TWO, 'read'])).changed).to.deep.equal(['token b']);
    expect((await declare(['b', TWO, 'read'])).changed).to.deep.equal([]);
    expect(await findToken(messages.db, ONE)).to.equal(undefined);
    expect(await findToken(messages.db, TWO)).to.deep.equal(['read']);
    const { rows } = await messages.db.query('select t.name from millrace_private.api_tokens t');
    expect(rows).to.deep.equal([{ name: 'b' }]);
    expect((await messages.db.query('select c.generation from millrace_private.catalog_state c')).rows).to.deep.equal([
      { generation: 1 },
    ]);
  });

  it('cannot be swapped between two names', async () => {
    await declare(['a', ONE], ['b', TWO]);
    const error = await declare(['a', TWO], ['b', ONE]).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(error).to.be.instanceOf(MillraceError).with.property('code', 'bad_configuration');
    expect((error as MillraceError).message).to.not.contain(TWO);
  });
});
