import { expect } from 'chai';
import { remedyForCapture, remedyForReading, remedyForReplaying, remedyForWriting } from '../../src/model/remedies.ts';

const said = (code: string, more: object = {}): Error =>
  Object.assign(new Error('Postgres’ words: "secret"'), { code, ...more });

describe('remedies', () => {
  const table = { schema: 'public', name: 'Orders', role: 'reader', sortColumn: null, seconds: 5 };

  it('for a table that is read: the first that fits, ready to be run', () => {
    expect(remedyForReading(said('42501'), table)?.remedy).to.equal(
      'grant usage on schema "public" to "reader"; grant select on "public"."Orders" to "reader"',
    );
    expect(remedyForReading(said('42501', { routine: 'check_enable_rls' }), table)?.remedy).to.match(/bypassrls/);
    expect(remedyForReading(said('42P01'), table)).to.deep.equal({
      message: 'public.Orders no longer exists',
      remedy: 'Start another one.',
      isFinal: true,
    });
    expect(remedyForReading(said('57014'), { ...table, sortColumn: 'at' })).to.deep.equal({
      message: 'a row of public.Orders takes longer than 5 s to read',
      remedy: 'Create an index that begins with at, or relieve the source.',
      isFinal: false,
    });
  });

  it('for a server without room: it is tried again', () => {
    const found = remedyForReading(said('53100'), table);
    expect(found).to.include({ isFinal: false, message: 'Postgres’ words: "secret"' });
    expect(found?.remedy).to.match(/^Free disk space on the server that says so/);
  });

  it('for a table that is damaged: it is tried again', () => {
    for (const code of ['XX001', 'XX002', '58P01']) {
      const found = remedyForReading(said(code), table);
      expect(found, code).to.include({
        isFinal: false,
        message: 'public.Orders cannot be read: Postgres’ words: "secret"',
      });
      expect(found?.remedy, code).to.match(/is damaged: restore the rows/);
    }
  });

  it('tell no value', () => {
    expect(remedyForReading(said('22P02'), table)).to.deep.equal({
      message: 'public.Orders cannot be read (22P02)',
      isFinal: false,
    });
    expect(remedyForReading(said('22P02'), { ...table, sortColumn: 'at' })?.message).not.to.contain('secret');
  });

  it('for a change table: what only a person can fix is final', () => {
    const place = { database: 'shop', schema: 'public', name: 'events' };
    for (const code of ['42P01', '3F000', '42703', '42501']) {
      const found = remedyForReplaying(said(code), place);
      expect(found?.isFinal, code).to.be.true;
      expect(found?.remedy, code)
        .to.match(/^[A-Z].+\.$/)
        .and.not.match(/replay/);
    }
    const hidden = remedyForReplaying(said('42501', { routine: 'check_enable_rls' }), place);
    expect(hidden?.message).to.match(/^a policy of row security would hide entries of /);
    expect(remedyForReplaying(said('57014'), place)?.isFinal).to.be.false;
    expect(remedyForReplaying(said('40P01'), place)).to.equal(undefined);
  });

  it('for a table that is written, more closely known codes first', () => {
    expect(remedyForWriting(said('53100'))).to.match(/^Free disk space/);
    expect(remedyForWriting(said('53400'))).to.match(/^Raise that limit/);
    expect(remedyForWriting(said('23505'))).to.equal(undefined);
    expect(remedyForWriting(new Error('53100'))).to.equal(undefined);
  });

  it('for capture: where to do it', () => {
    expect(remedyForCapture(said('53100'), 'the source')).to.match(/^Free disk space on the server of the source\. /);
    const outOfLocks = Object.assign(said('53200'), { routine: 'LockAcquireExtended' });
    for (const remedy of [remedyForCapture(outOfLocks, 'the message database'), remedyForWriting(outOfLocks)])
      expect(remedy).to.match(/^Raise max_locks_per_transaction/);
    expect(remedyForCapture(said('53400'), 'the message database')).to.match(
      /^Raise that limit on the server of the message/,
    );
    expect(remedyForCapture(said('25006'), 'the message database')).to.match(/let the message database be the primary/);
    expect(remedyForCapture(said('42501'), 'the source')).to.match(/^Give the role its rights/);
    for (const code of ['57014', '55P03']) expect(remedyForCapture(said(code), 'the source')).to.match(/holds a lock/);
    expect(remedyForCapture(said('XX000'), 'the source')).to.equal(undefined);
  });
});
