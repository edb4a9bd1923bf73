/** Triggers whose reader has gone: who removes them, and who does not. */
import { expect } from 'chai';
import { openPool } from '../../../src/db/pool.ts';
import { removeLeft, sayLeft, sayNeeded } from '../../../src/source/triggers/left.ts';
import { sharedSource } from '../../support/postgres/postgres.ts';
import { type Noted, noted } from './noted.ts';

describe('triggers that were left by their reader', () => {
  let on: Noted;
  const remove = (mayRemove = true) =>
    removeLeft(on.source, {
      beside: () => openPool({ address: on.url, max: 1, applicationName: 'test' }),
      mayRemove: async () => mayRemove,
    });

  beforeEach(async () => {
    on = await noted(await sharedSource(), 'create table t (id int); create table u (id int)');
    await on.ensure(['t', 'u']);
  });
  afterEach(() => on.close());

  /** Does a row of `t` come among what is noted? */
  const isNoted = async (): Promise<boolean> => {
    await on.writer.query('insert into t values (1)');
    return (await on.lines()).length > 0;
  };

  it('are removed with what they have noted, and all is as if they had never been', async () => {
    await on.writer.query('insert into t values (1)');
    await sayLeft(on.source);
    expect(await remove()).to.deep.equal([]);
    expect(await isNoted()).to.equal(false);
    const { rows } = await on.source.query<{ names: string[] }>(
      `select array(select p.proname::text from pg_proc p where p.pronamespace = 'millrace_capture'::regnamespace
         and p.proname like 'table\\_%') as names`,
    );
    expect(rows[0]!.names).to.deep.equal([]);
    await on.ensure(['t', 'u']);
    expect(await isNoted()).to.equal(true);
  });

  it('stay where their reader has not gone, where another one has come, and where somebody reads', async () => {
    expect(await remove()).to.deep.equal([]);
    expect(await isNoted()).to.equal(true);
    await sayLeft(on.source);
    await sayNeeded(on.source);
    expect(await remove()).to.deep.equal([]);
    expect(await isNoted()).to.equal(true);
    await sayLeft(on.source);
    const reader = await on.connect('superuser');
    await reader.query('begin; lock table millrace_capture.reader in exclusive mode');
    expect(await remove()).to.deep.equal([]);
    expect(await isNoted()).to.equal(true);
    await reader.query('rollback');
    expect(await remove(false)).to.deep.equal([]);
    expect(await isNoted()).to.equal(true);
  });

  it('stay where another reader came while the turn was taken', async () => {
    await sayLeft(on.source);
    const removed = removeLeft(on.source, {
      beside: () => openPool({ address: on.url, max: 1, applicationName: 'test' }),
      mayRemove: async () => {
        await sayNeeded(on.source);
        return true;
      },
    });
    expect(await removed).to.deep.equal([]);
    expect(await isNoted()).to.equal(true);
  });

  it('stay on a table that is locked, until it is not', async () => {
    await sayLeft(on.source);
    const slow = await on.connect('superuser');
    await slow.query('begin; lock table t in share mode');
    expect(await remove()).to.have.length(1);
    await slow.query('commit');
    expect(await remove()).to.deep.equal([]);
    expect(await isNoted()).to.equal(false);
  });
});
