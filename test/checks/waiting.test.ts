/** Who waits, for whom, and what fills up: decided from facts alone. */
import { expect } from 'chai';
import { type AccessFacts, checkAccess } from '../../src/checks/access.ts';
import { compareTable } from '../../src/checks/change-table.ts';
import type { FoundTable } from '../../src/checks/change-table-columns.ts';
import { checkConsumer } from '../../src/checks/consumer.ts';
import { checkOperations, checkRunning } from '../../src/checks/operations.ts';
import { checkTablesOfIndex } from '../../src/checks/shared-index.ts';
import { checkStorage } from '../../src/checks/storage.ts';

describe('checks of those who wait', () => {
  it('name who keeps clients from receiving, and say that they have enough', () => {
    const well = { name: 'orders', leased: 9, max_ack_pending: 10, blockers: [] };
    expect(checkConsumer(well)).to.deep.equal([]);
    const of = { username: 'ann', address: '10.0.0.7', query: 'lock table some' };
    const blockers = [{ pid: 7, application: 'psql', seconds: 12.9, ...of }];
    const [blocked, full] = checkConsumer({ ...well, leased: 10, blockers });
    expect(blocked).to.include({
      id: 'blocked_by',
      status: 'error',
      sql: 'select pg_terminate_backend(7)',
      item: 'backend 7',
      // For whoever may read rows.
      answer: 'lock table some',
    });
    expect(blocked!.summary).to.include('backend 7 (psql) of ann from 10.0.0.7').and.include('12 s');
    const prepared = { pid: null, prepared: "it's", username: 'ann', seconds: 12.9 };
    const [forgotten] = checkConsumer({ ...well, blockers: [prepared] });
    expect(forgotten).to.include({ id: 'blocked_by', sql: "rollback prepared 'it''s'", item: "transaction it's" });
    expect(forgotten!.summary).to.include("transaction 'it''s' of ann").and.include('12 s');
    expect(full).to.include({ id: 'ack_pending_full', status: 'warning' });
  });

  it('name sinks whose messages take much, and what to do by their status', () => {
    const bytes = 12 * 1024 ** 3;
    const found = checkStorage([
      { name: 'a', status: 'active', bytes },
      { name: "b's", status: 'paused', bytes },
      { name: 'c', status: 'active', bytes: 1_000 },
    ]);
    expect(found.map(({ id, item }) => [id, item])).to.deep.equal([
      ['growing', 'a'],
      ['growing', "b's"],
    ]);
    expect(found[0]).to.include({ command: 'bin/millrace doctor --sink a', sql: null });
    expect(found[0]!.summary).to.include('12 GB');
    expect(found[1]!.sql).to.equal("select millrace.resume('b''s')");
  });

  it('name tokens that end soon, and what was released from the file', () => {
    const well: AccessFacts = { weakTokens: [], expiring: [], released: [], sealedBefore: 0 };
    expect(checkAccess(well)).to.deep.equal([]);
    expect(checkAccess({ ...well, weakTokens: ['a', 'b'] })[0]).to.include({ id: 'weak_token', status: 'warning' });
    const [token, released] = checkAccess({
      ...well,
      expiring: [{ name: 'ci', at: '2026-12-01' }],
      released: [{ type: 'change_retention', name: 'history' }],
    });
    expect(token).to.include({ id: 'expires_soon', status: 'warning', summary: 'token ci expires on 2026-12-01' });
    expect(released).to.include({ id: 'declared_but_released', status: 'notice' });
    expect(released!.command).to.equal('bin/millrace adopt change_retention history');
    const [renamed] = checkAccess({ ...well, released: [{ type: 'sink', name: 'b', entry: 'a' }] });
    expect(renamed!.summary).to.include('sink b was released from the configuration file as a: ');
    expect(renamed!.remedy).to.include('call it b and give it effect again');
  });

  it('name jobs that failed, and those that do not move', () => {
    const job = { id: 'x', kind: 'verify', table: null, reason: null, remedy: null };
    expect(checkOperations([job])[0]).to.include({
      ...{ id: 'failed', item: 'x', sql: "select millrace.resume_operation('x')" },
      command: 'bin/millrace operation resume x',
    });
    expect(checkOperations([{ ...job, remedy: 'Name another table.' }])[0]!.remedy).to.equal(
      "Name another table; then continue it: select millrace.resume_operation('x'); " +
        "or end it, and begin another: select millrace.cancel_operation('x')",
    );
    expect(checkRunning([{ ...job, still_seconds: 600 }])).to.deep.equal([]);
    const [still] = checkRunning([{ ...job, reason: 'no worker is there', remedy: 'Start one.', still_seconds: 700 }]);
    expect(still).to.include({ id: 'stalled', status: 'warning', remedy: 'Start one.' });
    expect(still!.summary).to.equal('a verify has not moved for 11 minutes: no worker is there');
  });

  it('name a sink that sends several tables into one index', () => {
    const sink = (include_tables: string[] | null, routing: string | null) => ({
      ...{ name: 's', index: { endpoint: 'http://h', name: 'i' } },
      settings: { routing, source: { include_tables } },
    });
    expect(checkTablesOfIndex(sink(['a', 'b'], null)).map(({ id }) => id)).to.deep.equal(['two_tables_one_index']);
    for (const well of [sink(['a', 'b'], 'r'), sink(['a'], null), sink(null, null)])
      expect(checkTablesOfIndex(well)).to.deep.equal([]);
  });

  it('say that no partition takes entries of now, with the statement', () => {
    const found: FoundTable = {
      ...{ schema_exists: true, kind: 'p', persistence: 'p', role: 'r', may_use_schema: true, may_insert: true },
      ...{
        primary_key: null,
        primary_key_name: null,
        sequence: null,
        may_use_sequence: null,
        last_value: null,
        max_value: null,
        columns: [],
      },
      few_ahead: true,
      none_now: {
        ...{ of: { schema: 'public', name: 'events' } },
        ...{ from: '2026-11-22 00:00:00.000000+00', to: '2026-11-23 00:00:00.000000+00' },
      },
    };
    const { warnings } = compareTable({ schema: 'public', name: 'events' }, found, '');
    expect(warnings.map(({ code }) => code)).to.deep.equal(['partition_missing']);
    expect(warnings[0]!.remedy).to.match(
      /^create table "public"\."events_p20261122" partition of "public"\."events" for values from \('2026-11-22 00:00:00\+00'\)/,
    );
  });
});
