/** What is said of a change that Postgres cannot send, by what it says itself. */
import { expect } from 'chai';
import { explained, isStuck } from '../../../src/capture/replication/unsendable.ts';

const NAMED = { name: 'shop', slot: { name: "shop's", create_if_not_exists: true } };

describe('what is said of a change that Postgres cannot send', () => {
  const said = async (
    code: string,
    message: string,
  ): Promise<{ message: string; remedy: string; isStuck: boolean }> => {
    const error = Object.assign(new Error(message), { code, severity: 'ERROR' });
    const thrown = await explained(Promise.reject(error), NAMED).catch((one: unknown) => one);
    return {
      ...(thrown as { message: string; remedy: string }),
      message: (thrown as Error).message,
      isStuck: isStuck(thrown),
    };
  };

  for (const kind of ['filenode', 'filenumber'])
    it(`names the slot as the reason where a ${kind} is unknown to it`, async () => {
      const { message, remedy, isStuck } = await said('XX000', `could not map ${kind} "base/1/2" to relation OID`);
      expect(message).to.equal(
        `Postgres cannot send the next change: could not map ${kind} "base/1/2" to relation OID`,
      );
      expect(remedy).to.match(/a table was truncated or rewritten while the slot was made/);
      expect(remedy).to.include("select pg_drop_replication_slot('shop''s'); then bin/millrace resync shop");
      expect(isStuck).to.equal(true);
    });

  it('names the change otherwise', async () => {
    const { remedy, isStuck } = await said('22012', 'division by zero');
    expect(remedy).to.match(/a row filter of the publication fails on it: correct that first/);
    expect(isStuck).to.equal(true);
  });

  it('leaves what has another reason as it is', async () => {
    expect(await said('57P01', 'terminating connection')).to.deep.include({
      message: 'terminating connection',
      isStuck: false,
    });
  });
});
