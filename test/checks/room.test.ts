/** Findings whose trap no test can set in a minute: decided from facts alone. */
import { expect } from 'chai';
import { type CapacityInput, checkCapacity } from '../../src/checks/capacity.ts';
import { checkDelivery, checkSinkAlone, type DeliveryFacts } from '../../src/checks/delivery.ts';
import { type Finding, inSource, repairsText, warning } from '../../src/checks/finding.ts';
import { checkMessageDatabase, type MessageDatabaseFacts } from '../../src/checks/message-database.ts';

const said = (found: readonly Finding[]): string[] => found.map(({ id, status }) => `${status} ${id}`);

describe('what is to be done about several findings', () => {
  it('is a statement each, of which no remark hides the next', () => {
    const found = ['select 1', 'select 2'].map((sql) => warning('x', 'so it is', inSource(sql, 'or wait')));
    const text = repairsText(found);
    expect(text.replaceAll(/--.*/g, '')).to.match(/^select 1; \n\s*select 2; $/);
  });
});

describe('checks of room', () => {
  const SLOT: NonNullable<CapacityInput['slot']> = {
    ...{ plugin: 'pgoutput', here: true, active_pid: 7, active_application: 'millrace capture shop' },
    ...{
      confirmed_flush_lsn: '0/1',
      wal_status: 'reserved',
      invalidation_reason: null,
      kept_bytes: 0,
      oldest_prepared: null,
      standbys: [],
    },
  };
  const INPUT: CapacityInput = {
    ...{ database: 'shop', slotName: 'millrace', slot: SLOT, isRead: true, room: 9, walSenderTimeoutMs: 60_000 },
    facts: { max_slots: 2, slots: 2, idle_slots: [], max_senders: 2, senders: 2, max_connections: 100, failover: true },
    writers: { pids: '', prepared: '' },
  };
  const cases: [string[], Partial<CapacityInput>][] = [
    [[], {}],
    [['error slots_full', 'error walsenders_full'], { slot: undefined }],
    [['error walsenders_full', 'warning slot_inactive'], { slot: { ...SLOT, active_pid: null } }],
    [['error slot_inactive'], { slot: { ...SLOT, active_application: 'somebody' } }],
    [['warning unread'], { isRead: false }],
    [['warning connections_short'], { room: 1 }],
    [[], { room: 1, isRead: false, slot: undefined }],
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
    ...{ clock_ms: 1_000_000, old_snapshots: [], role: 'r', database: 'd', encoding: 'UTF8', may_create: true },
    ours: [{ application: 'millrace worker', connections: 5 }],
  };
  const FACTS: MessageDatabaseFacts = { server: SERVER, room: 50, schema: undefined, nowMs: 1_000_000 };
  const old = { pid: 9, gid: null, seconds: 1_800, application: 'pg_dump' };
  const messages: [string, Partial<MessageDatabaseFacts>][] = [
    ['ok message_database', {}],
    ['warning connections_short', { room: 2 }],
    ['warning clock_apart', { nowMs: 1_040_000 }],
    ['warning commit_not_durable', { server: { ...SERVER, fsync: false } }],
    ['error may_not_create', { server: { ...SERVER, may_create: false } }],
    ['error encoding', { server: { ...SERVER, encoding: 'LATIN1' } }],
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
  const FACTS = {
    ...{ name: 's', status: 'active', pending: 3, parked: 0, faulty: 0, oldest_seconds: 5 },
    ...{ error: 'words', isFailing: false, isPulled: false, notices: [], status_reason: null },
  };
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
  it('say of a pause that it is long, by the messages that wait', () => {
    const say = (change: Partial<DeliveryFacts>): string[] =>
      said(checkDelivery({ ...FACTS, status: 'paused', reasons: ['paused'], ...change }, nothing));
    expect(say({})).to.deep.equal(['notice paused']);
    expect(say({ oldest_seconds: 200_000 })).to.deep.equal(['warning paused_long']);
    expect(say({ oldest_seconds: 200_000, pending: 0 })).to.deep.equal(['notice paused']);
    for (const [reason, oldest_seconds] of [
      ['paused', 1],
      ['paused', 200_000],
      ['disabled', 1],
    ] as const) {
      const status = { ...FACTS, status: reason, reasons: [reason], oldest_seconds };
      const [found] = checkDelivery({ ...status, status_reason: 'the index moves' }, nothing);
      expect(found!.summary).to.match(/\. The reason given: the index moves$/);
    }
  });
  it('say of a function that messages failed on it', () => {
    const found = checkDelivery({ ...FACTS, parked: 3, faulty: 2, reasons: ['parked'] }, nothing);
    expect(said(found)).to.deep.equal(['warning parked', 'warning function_faulty']);
  });
  it('say of a consumer that is behind what clients can do, and nothing of workers', () => {
    const remedyOf = (isPulled: boolean) =>
      checkDelivery({ ...FACTS, reasons: ['behind'], isPulled }, nothing)[0]!.remedy;
    expect(remedyOf(true)).to.match(/^Start its client/);
    expect(remedyOf(true)).not.to.match(/worker/);
    expect(remedyOf(false)).to.match(/^Start another worker, .+sink_name s/);
  });
  it('say of a sink to which nothing can be delivered why, and not that it is behind', () => {
    const reasons = ['index_missing', 'behind'];
    expect(said(checkDelivery({ ...FACTS, reasons, isFailing: true }, nothing))).to.deep.equal(['error index_missing']);
  });
  it('say of a sink alone what is wrong around it', () => {
    const found = checkSinkAlone({ ...FACTS, database: 'shop', reasons: ['source_error', 'no_worker', 'behind'] });
    expect(said(found)).to.deep.equal(['error source_error', 'error no_worker', 'warning behind']);
    expect(found[0]!.command).to.equal('bin/millrace database checks shop');
  });
  it('say of an open circuit what was seen just now', () => {
    const open = { ...FACTS, reasons: ['unreachable'], isFailing: true };
    expect(said(checkDelivery(open, { ...nothing, destination: 'well' }))).to.deep.equal(['warning unreachable']);
    expect(said(checkDelivery(open, { ...nothing, destination: 'wrong' }))).to.deep.equal(['ok delivery']);
    expect(checkDelivery(open, nothing)[0]).to.include({ answer: 'words' });
  });
  it('say of a change table which statement puts it right, and where it is run', () => {
    const remedy = 'alter table "public"."kept" set logged;';
    const noted = { code: 'unlogged', table: null, message: 'the table is unlogged', remedy };
    const [found] = checkDelivery({ ...FACTS, reasons: ['unlogged'], notices: [noted] }, nothing);
    expect(found).to.include({ sql: remedy, runOn: 'destination', remedy: null });
  });
  it('leave out notices that were looked for anew', () => {
    const noted = { code: 'not_published', table: 'public.t', message: 'as it was', remedy: null };
    const facts = { ...FACTS, reasons: ['not_published'], notices: [noted] };
    expect(said(checkDelivery(facts, nothing))).to.deep.equal(['warning not_published']);
    const seen = { ...nothing, notices: new Set(['not_published']) };
    expect(said(checkDelivery(facts, seen))).to.deep.equal(['ok delivery']);
  });
});
