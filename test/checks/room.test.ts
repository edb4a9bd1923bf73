/** Findings whose trap no test can set in a minute: decided from facts alone. */
import { expect } from 'chai';
import { type CapacityInput, checkCapacity } from '../../src/checks/capacity.ts';
import { checkDelivery } from '../../src/checks/delivery.ts';
import type { Finding } from '../../src/checks/finding.ts';
import { checkMessageDatabase, type MessageDatabaseFacts } from '../../src/checks/message-database.ts';

const said = (found: readonly Finding[]): string[] => found.map(({ id, status }) => `${status} ${id}`);

describe('checks of room', () => {
  const SLOT: NonNullable<CapacityInput['slot']> = {
    ...{ plugin: 'pgoutput', here: true, active_pid: 7, active_application: 'millrace capture shop' },
    ...{ confirmed_flush_lsn: '0/1', wal_status: 'reserved', kept_bytes: 0 },
  };
  const INPUT: CapacityInput = {
    ...{ database: 'shop', slotName: 'millrace', slot: SLOT, isRead: true, walSenderTimeoutMs: 60_000 },
    facts: { max_slots: 2, slots: 2, idle_slots: [], max_senders: 2, senders: 2, failover: true },
    writers: { pids: '', prepared: '' },
  };
  const cases: [string[], Partial<CapacityInput>][] = [
    [[], {}],
    [['error slots_full', 'error walsenders_full'], { slot: undefined }],
    [['error walsenders_full', 'warning slot_inactive'], { slot: { ...SLOT, active_pid: null } }],
    [['error slot_inactive'], { slot: { ...SLOT, active_application: 'somebody' } }],
    [['warning unread'], { isRead: false }],
    [['notice no_failover'], { facts: { ...INPUT.facts, failover: false } }],
    [[], { facts: { ...INPUT.facts, failover: null } }],
    [['warning wal_sender_timeout'], { walSenderTimeoutMs: 5_000 }],
    [[], { walSenderTimeoutMs: 0 }],
    [[], { slot: undefined, isRead: false, writers: { pids: '1', prepared: '' } }],
  ];
  for (const [expected, change] of cases) {
    it(`say of a source: ${expected.join(', ') || 'nothing'} ${JSON.stringify(change)}`, () => {
      expect(said(checkCapacity({ ...INPUT, ...change }))).to.deep.equal(expected);
    });
  }
  it('name whom a slot waits for, prepared transactions too', () => {
    const room = { ...INPUT.facts, slots: 0, senders: 0 };
    const waits = (pids: string, prepared: string) =>
      checkCapacity({ ...INPUT, slot: undefined, facts: room, writers: { pids, prepared } })[0];
    expect(waits('4, 5', "'a'")?.sql).to.equal('select pg_terminate_backend(4); select pg_terminate_backend(5)');
    expect(waits('', "'a'")?.remedy).to.equal('Commit or roll back the prepared transactions.');
  });

  const SERVER: MessageDatabaseFacts['server'] = {
    ...{ version: 180000, version_name: '18.0', fsync: true, full_page_writes: true, max_connections: 100 },
    ...{ clock_ms: 1_000_000, old_snapshots: [] },
  };
  const FACTS: MessageDatabaseFacts = { server: SERVER, room: 50, schema: undefined, nowMs: 1_000_000 };
  const old = { pid: 9, gid: null, seconds: 1_800, application: 'pg_dump' };
  const messages: [string, Partial<MessageDatabaseFacts>][] = [
    ['ok message_database', {}],
    ['warning connections_short', { room: 2 }],
    ['warning clock_apart', { nowMs: 1_040_000 }],
    ['warning commit_not_durable', { server: { ...SERVER, fsync: false } }],
    ['error too_old', { server: { ...SERVER, version: 130000 } }],
    ['warning long_snapshot', { server: { ...SERVER, old_snapshots: [old] } }],
    ['warning long_snapshot', { server: { ...SERVER, old_snapshots: [{ ...old, pid: null, gid: 'a' }] } }],
  ];
  for (const [expected, change] of messages) {
    it(`say of the message database: ${expected} ${JSON.stringify(change)}`, () => {
      expect(said(checkMessageDatabase({ ...FACTS, ...change }))).to.deep.equal([expected]);
    });
  }
});

describe('checks of delivery', () => {
  const FACTS = { name: 's', status: 'active', pending: 3, parked: 0, error: 'words', isFailing: false, notices: [] };
  const nothing = { notices: new Set<string>(), destination: undefined };
  const reasons: [string, string[]][] = [
    ['nobody_receives', ['warning nobody_receives']],
    ['behind', ['warning behind']],
    ['not_worked_on', ['error not_worked_on']],
    ['routed_index_failing', ['error routed_index_failing']],
    ['source_error', ['ok delivery']],
    ['no_worker', ['ok delivery']],
    ['unreachable', ['error unreachable']],
    ['a_reason_of_a_later_release', ['error a_reason_of_a_later_release']],
  ];
  for (const [reason, expected] of reasons) {
    it(`say what health says: ${reason}`, () => {
      expect(said(checkDelivery({ ...FACTS, reasons: [reason] }, nothing))).to.deep.equal(expected);
    });
  }
  it('say of an open circuit what was seen just now', () => {
    const open = { ...FACTS, reasons: ['unreachable'], isFailing: true };
    expect(said(checkDelivery(open, { ...nothing, destination: 'well' }))).to.deep.equal(['warning unreachable']);
    expect(said(checkDelivery(open, { ...nothing, destination: 'wrong' }))).to.deep.equal(['ok delivery']);
    expect(checkDelivery(open, nothing)[0]).to.include({ answer: 'words' });
  });
  it('leave out notices that were looked for anew', () => {
    const noted = { code: 'not_published', table: 'public.t', message: 'as it was', remedy: null };
    const facts = { ...FACTS, reasons: ['not_published'], notices: [noted] };
    expect(said(checkDelivery(facts, nothing))).to.deep.equal(['warning not_published']);
    const seen = { ...nothing, notices: new Set(['not_published']) };
    expect(said(checkDelivery(facts, seen))).to.deep.equal(['ok delivery']);
  });
});
