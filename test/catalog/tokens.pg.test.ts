import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { applyConfig } from '../../src/catalog/apply/apply.ts';
import { openTokens, refuseWeakTokens } from '../../src/catalog/tokens.ts';
import { openListener } from '../../src/db/listen.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { type Fault, MillraceError } from '../../src/model/errors.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { until } from '../support/until.ts';
import { faultsOf, KEYS, parse } from './support.ts';

const ONE = 'k3jd8sj2ls9dk3js8dk2ls';
const TWO = 'p0oiu7ytre5wq2lkjh8gfd';

describe('API tokens', () => {
  let messages: MessageDatabase;
  const declare = (...tokens: [string, string, string?][]): Promise<{ created: string[]; changed: string[] }> => {
    const entries = tokens.map(([name, token, scopes]) => ({ name, token, scopes: (scopes ?? 'admin').split(' ') }));
    return applyConfig({ db: messages.db, keys: KEYS }, parse(JSON.stringify({ api_tokens: entries })).config);
  };

  const findToken = async (db: Queryable, token: string) =>
    (await openTokens({ db, loopbackOnly: true }).find(token))?.scopes;

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

  it('stop working within a second of being revoked, and a restart does not bring them back', async () => {
    await declare(['a', ONE]);
    let now = 1_000;
    const tokens = openTokens({ db: messages.db, now: () => now, loopbackOnly: true });
    expect((await tokens.find(ONE))?.scopes).to.deep.equal(['admin']);
    await messages.db.query('update millrace_private.api_tokens set revoked_at = now()');
    now += 999;
    expect((await tokens.find(ONE))?.scopes).to.deep.equal(['admin']);
    expect(await tokens.find(ONE, { fresh: true })).to.equal(undefined);
    expect(await tokens.find(ONE), 'what is known to be over is not remembered').to.equal(undefined);
    now += 1;
    await declare(['a', ONE, 'read']);
    expect(await tokens.find(ONE)).to.equal(undefined);
    await declare(['a', TWO]);
    expect((await tokens.find(TWO))?.scopes).to.deep.equal(['admin']);
  });

  it('are found again by their hash, as they are then', async () => {
    await declare(['a', ONE]);
    const tokens = openTokens({ db: messages.db, loopbackOnly: true });
    const known = await tokens.find(ONE);
    expect(await tokens.find(known!.hash)).to.deep.equal(known);
    await messages.db.query('update millrace_private.api_tokens set revoked_at = now()');
    expect(await tokens.find(known!.hash, { fresh: true })).to.equal(undefined);
  });

  it('are remembered for a second from the question, however late the answer came', async () => {
    await declare(['a', ONE]);
    let now = 1_000;
    let asked = 0;
    const slow: Queryable = {
      query: async (...args) => {
        asked += 1;
        const answer = await messages.db.query<never>(...args);
        now += 600;
        return answer;
      },
    };
    const tokens = openTokens({ db: slow, now: () => now, loopbackOnly: true });
    await tokens.find(ONE);
    now += 399;
    await tokens.find(ONE);
    expect(asked).to.equal(1);
    now += 1;
    await tokens.find(ONE);
    expect(asked).to.equal(2);
  });

  it('are looked up in one statement at a time, also those that nobody knows', async () => {
    await declare(['a', ONE]);
    let under = 0;
    let most = 0;
    let asked = 0;
    const counted: Queryable = {
      query: async (...args) => {
        asked += 1;
        under += 1;
        most = Math.max(most, under);
        try {
          return await messages.db.query<never>(...args);
        } finally {
          under -= 1;
        }
      },
    };
    const tokens = openTokens({ db: counted, loopbackOnly: true });
    const strangers = Array.from({ length: 500 }, (_, i) => `a-stranger-${i}`);
    const found = await Promise.all([ONE, ...strangers, ONE].map((token) => tokens.find(token)));
    expect(found.flatMap((known) => (known ? [known.scopes] : []))).to.deep.equal([['admin'], ['admin']]);
    expect([most, asked]).to.deep.equal([1, 2]);
    const crowd = Array.from({ length: 1_100 }, (_, i) => tokens.find(`of-a-crowd-${i}`).catch((error) => error.code));
    const refused = (await Promise.all(crowd)).filter((code) => code === 'too_many_requests');
    expect(refused.length).to.be.within(1, 100);
    expect(await tokens.find(TWO)).to.equal(undefined);
  });

  it('are forgotten as soon as Postgres says that one was changed, by whatever statement', async () => {
    await declare(['a', ONE]);
    const controller = new AbortController();
    const listener = openListener(
      { address: messages.url, max: 1, applicationName: 'millrace test' },
      { log: { warn: () => undefined, error: () => undefined } },
    );
    // Time stands still: nothing is forgotten because it is old.
    const tokens = openTokens({ db: messages.db, listener, now: () => 0, loopbackOnly: true });
    const running = listener.run(controller.signal);
    try {
      for (const change of [
        "update millrace_private.api_tokens set scopes = '{read}'",
        'update millrace_private.api_tokens set revoked_at = now()',
        'update millrace_private.api_tokens set revoked_at = null',
        'delete from millrace_private.api_tokens',
      ]) {
        await until('it is remembered', async () => {
          await tokens.find(ONE);
          return true;
        });
        await messages.db.query(change);
        const { rows } = await messages.db.query<{ scopes: string[] }>(
          'select scopes from millrace_private.api_tokens where revoked_at is null',
        );
        await until(change, async () => isDeepStrictEqual((await tokens.find(ONE))?.scopes, rows[0]?.scopes));
      }
    } finally {
      tokens.close();
      controller.abort();
      await running;
    }
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

  describe('that can be guessed', () => {
    const refused = (token: string, loopbackOnly: boolean): readonly Fault[] =>
      faultsOf(`api_tokens: [{ name: a, token: ${JSON.stringify(token)}, scopes: [read] }]`, { loopbackOnly });
    const weak = [
      'password1',
      'mr_example_token_0000',
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      'abcdefghijklmnopqrstuvwxyz',
      '123456789012345678901234',
      'qwertyuiopasdfghjklzxcvb',
      'abcabcabcabcabcabcabcabc',
      'Sequin-Admin-Token-2026',
      'your-secret-token-here',
      ONE.toUpperCase(),
    ];

    it('are refused where others reach the port, and warned of elsewhere', () => {
      for (const token of weak) {
        expect(
          refused(token, false).map(({ field }) => field),
          token,
        ).to.deep.equal(['api_tokens[0].token']);
        expect(refused(token, true), token).to.deep.equal([]);
      }
      expect(refused(weak[0]!, false)[0]!.remedy).to.contain('openssl rand -hex 24').and.to.contain('HOST');
      for (let i = 0; i < 500; i += 1) {
        for (const form of ['hex', 'base64', 'base64url'] as const) {
          expect(refused(`mr_${randomBytes(24).toString(form)}`, false)).to.deep.equal([]);
        }
      }
    });

    it("are refused everywhere when they are as short as Sequin's example, with a sentence that helps", () => {
      for (const loopbackOnly of [true, false]) {
        const [fault] = refused('secret', loopbackOnly);
        expect(fault!.message).to.equal("is the token of Sequin's example, which everybody can read");
        expect(fault!.remedy).to.contain('openssl rand -hex 24');
      }
    });

    it('are known by no role that others reach, and keep it from starting', async () => {
      const good = 'w8fj2la0pq7sn4mzx6vb1cyq';
      await declare(['weak', 'password1'], ['good', good]);
      for (const loopbackOnly of [true, false]) {
        const tokens = openTokens({ db: messages.db, loopbackOnly });
        expect((await tokens.find('password1'))?.scopes).to.deep.equal(loopbackOnly ? ['admin'] : undefined);
        expect((await tokens.find(good))?.scopes).to.deep.equal(['admin']);
      }
      const error = await refuseWeakTokens(messages.db).catch((thrown: unknown) => thrown);
      expect(error).to.be.instanceOf(MillraceError);
      const { faults } = error as MillraceError;
      expect(faults.map(({ field }) => field)).to.deep.equal(['api_tokens weak']);
      await messages.db.query(faults[0]!.remedy!.slice(faults[0]!.remedy!.indexOf('update ')));
      await refuseWeakTokens(messages.db);
    });
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
