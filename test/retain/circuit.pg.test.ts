/** A destination at fault: the reason, Postgres' words, what to do; no message is touched, and mending it is enough. */
import { expect } from 'chai';
import { type Database, openPool } from '../../src/db/pool.ts';
import type { Circuit, Delivery, SendResult, Sink } from '../../src/model/sink.ts';
import { type Bench, changeTableBench, writeWithin } from '../support/change-table.ts';
import { delivery } from '../support/delivery.ts';
import { startPostgresRelay } from '../support/postgres-relay.ts';

const signal = new AbortController().signal;
const done = { kind: 'done' };
const batch = [delivery(11, '11'), delivery(12, '12')];

for (const where of ['same', 'other'] as const) {
  describe(`a faulty change table in ${where === 'same' ? 'the message database' : 'another database'}`, () => {
    let bench: Bench;
    let sink: Sink;
    beforeEach(async () => {
      bench = await changeTableBench(where);
      sink = await bench.open();
    });
    afterEach(() => bench.drop());

    const deliver = (to: Sink, rows: readonly Delivery[]): Promise<SendResult> =>
      to.within === undefined ? to.send(rows, signal) : writeWithin(bench, to, rows);

    async function broken(to: Sink): Promise<Circuit> {
      const { outcomes, circuit } = await deliver(to, batch);
      expect(outcomes).to.deep.equal([]);
      return circuit!;
    }

    async function works(to: Sink): Promise<void> {
      expect(await deliver(to, batch)).to.deep.equal({ outcomes: [done, done] });
    }

    it('a dropped column: the statement that brings it back is in the error, and is enough', async () => {
      await deliver(sink, [delivery(1, '1', { action: 'update', changes: '{}' })]);
      await bench.destination.query(
        'alter table orders_events drop column record_pk, alter column changes set not null',
      );
      const { reason, error } = await broken(sink);
      expect(reason).to.equal('bad_destination');
      expect(error.split('\n')).to.deep.equal([
        '42703: column "record_pk" of relation "orders_events" does not exist',
        `"public"."orders_events": column "record_pk" is missing. Run: alter table "public"."orders_events" add column record_pk text not null default ''; alter table "public"."orders_events" alter column record_pk drop default;`,
        '"public"."orders_events": column "changes" does not take null. Run: alter table "public"."orders_events" alter column changes drop not null;',
      ]);
      expect(await sink.test(signal)).to.deep.equal({
        reason,
        error: error.split('\n').slice(1).join('\n'),
      });
      for (const [, remedy] of error.matchAll(/Run: (.*)/g)) await bench.destination.query(remedy!);
      await works(sink);
    });

    it('a dropped table that we may create comes back with the next test', async () => {
      await bench.destination.query('drop table orders_events');
      const circuit = await broken(sink);
      expect(circuit.reason).to.equal('bad_destination');
      expect(circuit.error).to.match(
        /^42P01: relation "public.orders_events" does not exist\n[\s\S]*create table if not exists/,
      );
      expect(await sink.test(signal)).to.equal(undefined);
      await works(sink);
    });

    it('a table that we are not asked to create is not created', async () => {
      const strict = await bench.open({ table_name: 'nowhere', create_if_not_exists: false });
      const circuit = await broken(strict);
      expect(circuit.error).to.match(
        /^"public"\."nowhere": table .* does not exist\. Set create_if_not_exists: true, or run:/,
      );
      expect(bench.logged.at(-1)).to.include({ msg: 'change table not ready', reason: 'bad_destination' });
      await bench.destination.query(circuit.error.slice(circuit.error.indexOf('create table')));
      await works(strict);
    });

    it('a schema that does not exist', async () => {
      const lost = await bench.open({ table_schema: 'no "where' });
      const { reason, error } = await broken(lost);
      expect(reason).to.equal('bad_destination');
      expect(error).to.include('3F000').and.include('Run: create schema "no ""where";'.replace('Run: ', ''));
      await bench.destination.query('create schema "no ""where"');
      expect(await lost.test(signal)).to.equal(undefined);
      await works(lost);
    });

    it('a lock on the table: nothing waits for ever, and it is tried again soon', async () => {
      const impatient = await bench.open({}, { lockTimeoutMs: 50 });
      const blocker = await bench.destination.pool.connect();
      await blocker.query('begin; lock table orders_events');
      const circuit = await broken(impatient);
      expect(circuit).to.deep.include({ reason: 'bad_destination', retryAfterMs: 2_000 });
      expect(circuit.error).to.match(/^55P03: canceling statement due to lock timeout\. Another session holds a lock/);
      await blocker.query('rollback');
      blocker.release();
      await works(impatient);
    });

    it('a partition that is missing is nobody’s row', async () => {
      await bench.destination.query(`
        drop table orders_events;
        create table orders_events (
          id bigserial, seq bigint not null, source_database_id uuid not null, source_table_oid bigint not null,
          source_table_schema text not null, source_table_name text not null, record_pk text not null,
          record jsonb not null, changes jsonb, action text not null, committed_at timestamptz not null,
          inserted_at timestamptz not null default now(), primary key (id, committed_at)
        ) partition by range (committed_at)`);
      expect(await sink.test(signal)).to.equal(undefined);
      expect(await broken(sink)).to.deep.equal({
        reason: 'bad_destination',
        error:
          '23514: no partition of relation "orders_events" found for row. Create the partition that this time needs.',
      });
      await bench.destination.query(
        `create table orders_2026 partition of orders_events for values from ('2026-01-01') to ('2027-01-01')`,
      );
      await works(sink);
    });

    it('a full disk: everything waits until there is space', async () => {
      await bench.destination.query(`
        create function full_disk() returns trigger language plpgsql as $$
          begin raise 'could not extend file "base/5/16385"' using errcode = '53100'; end $$;
        create trigger full_disk before insert on orders_events for each row execute function full_disk()`);
      expect(await broken(sink)).to.deep.equal({
        reason: 'bad_destination',
        error: '53100: could not extend file "base/5/16385". Free disk space on the destination server.',
      });
      await bench.destination.query('drop trigger full_disk on orders_events');
      await works(sink);
    });

    it('a trigger that raises is the table’s fault, not the row’s', async () => {
      await bench.destination.query(`
        create function refuse() returns trigger language plpgsql as $$ begin raise 'not today'; end $$;
        create trigger refuse before insert on orders_events for each row execute function refuse()`);
      expect(await broken(sink)).to.deep.equal({ reason: 'bad_destination', error: 'P0001: not today' });
    });
  });
}

describe('a change table at home, within the settling transaction', () => {
  let bench: Bench;
  let sink: Sink;
  beforeEach(async () => {
    bench = await changeTableBench('same');
    sink = await bench.open();
  });
  afterEach(() => bench.drop());

  it('goes with the settling: both or neither', async () => {
    const failure = new Error('this lane has another owner now');
    const settling = bench.messages.db.transaction(async (tx) => {
      expect(await sink.within!(tx, batch)).to.deep.equal({ outcomes: [done, done] });
      throw failure;
    });
    expect(await settling.catch((error) => error)).to.equal(failure);
    expect((await bench.destination.query('select from orders_events')).rowCount).to.equal(0);
  });

  it('leaves the transaction usable when the table is at fault, and keeps what was done before', async () => {
    await bench.destination.query('create table settled (id bigint); alter table orders_events drop column seq');
    await bench.messages.db.transaction(async (tx) => {
      await tx.query('insert into settled values (1)');
      const { circuit } = await sink.within!(tx, batch);
      expect(circuit?.reason).to.equal('bad_destination');
      await tx.query('insert into settled values (2)');
    });
    expect((await bench.destination.query('select id from settled')).rows).to.deep.equal([{ id: 1 }, { id: 2 }]);
  });

  it('throws when the connection itself is gone', async () => {
    const settling = bench.messages.db.transaction(async (tx) => {
      const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await bench.messages.db.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
      return await sink.within!(tx, batch);
    });
    const error = await settling.catch((thrown) => thrown);
    expect(error).to.be.instanceOf(Error);
    expect((await bench.destination.query('select from orders_events')).rowCount).to.equal(0);
  });

  it('is a restored copy of the message database elsewhere, and not mistaken for it', async () => {
    // The same cluster, so the same system identifier; the names differ as little as they can.
    const copy = await changeTableBench('same');
    const elsewhere = await bench.open({}, { pool: copy.destination });
    expect(elsewhere.within).to.equal(undefined);
    expect(await elsewhere.send(batch, signal)).to.deep.equal({ outcomes: [done, done] });
    expect((await copy.destination.query('select from orders_events')).rowCount).to.equal(2);
    await copy.drop();
  });
});

describe('a change table that cannot be reached', () => {
  let bench: Bench;
  const pools: Database[] = [];
  beforeEach(async () => {
    bench = await changeTableBench('other');
  });
  afterEach(async () => {
    for (const pool of pools.splice(0)) await pool.close();
    await bench.drop();
  });
  const poolOn = (address: string): Database => {
    const pool = openPool({ address, max: 2, applicationName: 'millrace test' });
    pools.push(pool);
    return pool;
  };

  it('is unreachable while nobody listens, from the start or later, and goes on when it is back', async () => {
    const relay = await startPostgresRelay(bench.destinationUrl);
    await relay.leave();
    const sink = await bench.open({}, { pool: poolOn(relay.url) });
    const { circuit } = await sink.send(batch, signal);
    expect(circuit?.reason).to.equal('unreachable');
    expect(circuit?.error).to.match(/^nothing listens at this address \(connect ECONNREFUSED .*\)\. Start the server/);
    await relay.comeBack();
    expect(await sink.test(signal)).to.equal(undefined);
    expect(await sink.send(batch, signal)).to.deep.equal({ outcomes: [done, done] });
    await relay.leave();
    expect((await sink.send(batch, signal)).circuit?.reason).to.equal('unreachable');
    await relay.comeBack();
    expect(await sink.send(batch, signal)).to.deep.equal({ outcomes: [done, done] });
    await relay.close();
  });

  it('is unreachable when it swallows everything, in time; a shutdown then counts as nothing', async () => {
    const relay = await startPostgresRelay(bench.destinationUrl);
    const sink = await bench.open({}, { pool: poolOn(relay.url), timeoutMs: 300 });
    relay.swallow(true);
    expect(await sink.send(batch, signal)).to.deep.equal({
      outcomes: [],
      circuit: {
        reason: 'unreachable',
        error:
          'no answer within 300 ms. Check that the server runs, host and port of the database in millrace.yaml, and the network in between.',
      },
    });
    relay.swallow(false);
    const patient = await bench.open({}, { pool: poolOn(relay.url) });
    relay.swallow(true);
    const stop = new AbortController();
    const sending = patient.send(batch, stop.signal);
    stop.abort();
    const { outcomes, circuit } = await sending;
    expect(circuit).to.equal(undefined);
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['wait', 'wait']);
    await relay.close();
  });

  it('is not told to be at home by a batch: the one that finds out waits, and the next goes within', async () => {
    const home = await changeTableBench('same');
    const relay = await startPostgresRelay(home.destinationUrl);
    await relay.leave();
    const sink = await home.open({}, { pool: poolOn(relay.url) });
    expect(sink.within).to.equal(undefined);
    await relay.comeBack();
    expect((await sink.send(batch, signal)).circuit).to.deep.include({ reason: 'unreachable', retryAfterMs: 0 });
    expect(await writeWithin(home, sink, batch)).to.deep.equal({ outcomes: [done, done] });
    await relay.close();
    await home.drop();
  });

  it('refuses a wrong password, without showing it', async () => {
    const url = new URL(bench.destinationUrl);
    url.password = 'not-the-password';
    const sink = await bench.open({}, { pool: poolOn(url.href) });
    const circuit = (await sink.send(batch, signal)).circuit!;
    expect(circuit.reason).to.equal('auth_failed');
    expect(circuit.error).to.equal(
      `28P01: password authentication failed for user "${url.username}". Correct user and password of the database in millrace.yaml.`,
    );
    expect(JSON.stringify(bench.logged)).to.not.include('not-the-password');
  });

  it('a role without rights: each grant is named, and is enough', async () => {
    await bench.open();
    await bench.destination.query(`create role writer login password 'w'; revoke all on schema public from public`);
    const url = new URL(bench.destinationUrl);
    url.username = 'writer';
    url.password = 'w';
    const sink = await bench.open({}, { pool: poolOn(url.href) });
    const circuit = (await sink.test(signal))!;
    expect(circuit.reason).to.equal('auth_failed');
    const grants = [...circuit.error.matchAll(/Run: (.*)/g)].map(([, grant]) => grant!);
    expect(grants).to.deep.equal([
      'grant usage on schema "public" to "writer";',
      'grant insert on "public"."orders_events" to "writer";',
      'grant usage on sequence public.orders_events_id_seq to "writer";',
    ]);
    for (const grant of grants) await bench.destination.query(grant);
    const progress = (await sink.test(signal))!;
    expect(progress.reason).to.equal('auth_failed');
    expect(progress.error).to.match(/^42501: permission denied for table millrace_progress/);
    await bench.destination.query('grant select, insert, update on millrace_progress to writer');
    expect(await sink.test(signal)).to.equal(undefined);
    expect(await sink.send(batch, signal)).to.deep.equal({ outcomes: [done, done] });
    await bench.destination.query('drop owned by writer; drop role writer');
  });

  it('a message table that cannot be read is not the destination’s fault', async () => {
    const sink = await bench.open();
    await sink.send(batch, signal);
    await bench.messages.db.query('alter table millrace_private.messages rename to elsewhere');
    const error = await sink.send(batch, signal).catch((thrown) => thrown);
    expect(error).to.deep.include({ code: 'unavailable' });
  });
});
