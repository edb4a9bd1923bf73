/** Where capture of a source begins again after a gap that somebody accepted. */
import { expect } from 'chai';
import { beginPosition, readPosition } from '../../src/messages/position.ts';
import { formatLsn } from '../../src/model/lsn.ts';
import type { SourceIdentity } from '../../src/model/source-identity.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';

const IDENTITY: SourceIdentity = {
  systemIdentifier: '7',
  timeline: 1,
  databaseOid: 5,
  slotName: 'millrace',
  publicationOid: 9,
};

describe('the position after a gap', () => {
  let messages: MessageDatabase;
  let no: number;
  beforeEach(async () => {
    messages = await messageDatabase();
    const { rows } = await messages.db.query<{ no: number }>(
      `insert into millrace_private.databases (name, settings, address, hostname, database_name)
       values ('shop', '{}', 'sealed', 'host', 'shop') returning no`,
    );
    no = rows[0]!.no;
    await messages.db.query('insert into millrace_private.positions (database_no) values ($1::integer)', [no]);
    await beginPosition(messages.db, no, { identity: IDENTITY, confirmedLsn: '0/100', goesOn: false });
    await messages.db.query(
      `insert into millrace_private.position_log (database_no, seq, epoch, commit_lsn, commit_idx, confirmed_lsn, next_id)
       values ($1::integer, 2, 1, '0/900', 41, '0/800', 77)`,
      [no],
    );
  });
  afterEach(() => messages.drop());

  const accepted = async (state: string, reason: string | null) => {
    await messages.db.query('update millrace_private.positions set state = $1::text, reason = $2::text', [
      state,
      reason,
    ]);
    await messages.db.query("select millrace.accept_gap('shop')");
    return (await readPosition(messages.db, no))?.left;
  };
  const begun = async (confirmedLsn: string, goesOn: boolean) => {
    await beginPosition(messages.db, no, { identity: IDENTITY, confirmedLsn, goesOn });
    const position = (await readPosition(messages.db, no))!;
    return [formatLsn(position.commitLsn), position.commitIdx, formatLsn(position.confirmedLsn)];
  };

  it('stays where it was when the history goes on: nothing is persisted twice', async () => {
    const { publicationOid: _, ...left } = IDENTITY;
    expect(await accepted('streaming', null)).to.deep.equal(left);
    expect(await begun('0/500', true)).to.deep.equal(['0/900', 41, '0/800']);
    expect((await readPosition(messages.db, no))?.left).to.equal(undefined);
  });

  it('is the slot’s when that is further', async () => {
    await accepted('needs_resync', 'replication slot millrace was created again or advanced by somebody else');
    expect(await begun('0/A00', true)).to.deep.equal(['0/A00', -1, '0/A00']);
  });

  it('begins anew when the history is another one', async () => {
    expect(
      await accepted('needs_resync', 'the source was restored from an older copy: its history is another'),
    ).to.equal(undefined);
    expect(await begun('0/500', false)).to.deep.equal(['0/500', -1, '0/500']);
  });
});
