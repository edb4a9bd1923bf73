/** A slot that is to skip what it may not read, at a server that is slow. */
import { expect } from 'chai';
import { ensureSlot } from '../../../src/capture/replication/slot.ts';
import type { Database } from '../../../src/db/pool.ts';
import { formatLsn, parseLsn } from '../../../src/model/lsn.ts';

const MEBIBYTE = 1_048_576n;

describe('a slot that skips what was written before', () => {
  /** A server that reads so much of its WAL within the deadline of a statement. */
  function serverOf(reads: bigint, end: bigint) {
    const moves: bigint[] = [];
    const made: string[] = [];
    let at = 0n;
    const answer = (text: string, values: readonly unknown[]): object[] => {
      if (text.startsWith('select pg_current_wal_lsn')) return [{ lsn: formatLsn(end) }];
      if (text.includes('pg_snapshot_xmax')) return [{ xid: '1000' }];
      if (text.includes('pg_attribute')) return [{ changed: false }];
      if (/drop_replication_slot|create_logical/.test(text)) {
        made.push(/pg_[a-z_]+/.exec(text)![0]);
        at = end;
        return [];
      }
      if (!text.includes('pg_replication_slot_advance'))
        return [
          {
            ...{ plugin: 'pgoutput', here: true, active_pid: null, active_application: null, kept_bytes: 0 },
            ...{ confirmed_flush_lsn: formatLsn(at), wal_status: 'reserved', invalidation_reason: null, standbys: [] },
          },
        ];
      const to = parseLsn(String(values[1]));
      if (to - at > reads) throw Object.assign(new Error('canceled'), { code: '57014', severity: 'ERROR' });
      moves.push(to - at);
      at = to;
      return [];
    };
    const source = {
      query: async (sql: string | { text: string }, values: readonly unknown[] = []) => {
        const rows = answer(typeof sql === 'string' ? sql : sql.text, values);
        return { rows, rowCount: rows.length };
      },
    };
    const ensure = async (isMade = false): Promise<string> =>
      await ensureSlot(source as Partial<Database> as Database, {
        settings: { name: 'slot', create_if_not_exists: isMade },
        ...{ version: 180000, gapAccepted: true, skipOlder: true },
      });
    return { moves, made, ensure };
  }

  it('goes there at once where that is quick', async () => {
    const { moves, ensure } = serverOf(9n * MEBIBYTE, 8n * MEBIBYTE);
    expect(await ensure()).to.equal(formatLsn(8n * MEBIBYTE));
    expect(moves).to.deep.equal([8n * MEBIBYTE]);
  });

  it('is made anew where that is slow, and may be done', async () => {
    const { moves, made, ensure } = serverOf(3n * MEBIBYTE, 9n * MEBIBYTE);
    expect(await ensure(true)).to.equal(formatLsn(9n * MEBIBYTE));
    expect([moves, made]).to.deep.equal([[], ['pg_drop_replication_slot', 'pg_create_logical_replication_slot']]);
  });

  it('goes there in steps that the server manages', async () => {
    const { moves, ensure } = serverOf(3n * MEBIBYTE, 9n * MEBIBYTE);
    expect(await ensure()).to.equal(formatLsn(9n * MEBIBYTE));
    expect(moves).to.deep.equal([9n, 9n, 9n, 9n].map((whole) => (whole * MEBIBYTE) / 4n));
  });

  it('says what to do where none is small enough', async () => {
    const { ensure } = serverOf(1n, 8n * MEBIBYTE);
    const refused = await ensure().catch((error: unknown) => error);
    expect(refused).to.include({
      message: 'moving replication slot slot to where the source writes now takes too long',
    });
    expect(refused)
      .to.have.property('remedy')
      .that.matches(/^select pg_drop_replication_slot\('slot'\); select from pg_create/);
  });
});
