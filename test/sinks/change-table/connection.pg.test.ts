/** A change table at home or elsewhere whose connection, transaction or role fails. */
import { expect } from 'chai';
import { type Database, openPool } from '../../../src/db/pool.ts';
import type { Sink } from '../../../src/model/sink.ts';
import { type Bench, changeTableBench, writeWithin } from '../../support/fixtures/change-table.ts';
import { delivery } from '../../support/fixtures/delivery.ts';
import { startPostgresRelay } from '../../support/postgres/postgres-relay.ts';

const signal = new AbortController().signal;
const done = { kind: 'done' };
const batch = [delivery(11, '11'), delivery(12, '12')];

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
          'no answer within 300 ms. Check that the server runs, the host and port of the database, and the network in between.',
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
    expect(outcomes.map(({ kind }) => kind)).to.deep.equal(['untried', 'untried']);
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
    url.password = 'not-the-right-one';
    const sink = await bench.open({}, { pool: poolOn(url.href) });
    const circuit = (await sink.send(batch, signal)).circuit!;
    expect(circuit.reason).to.equal('auth_failed');
    expect(circuit.error).to.equal(
      `28P01: password authentication failed for user "${url.username}". Correct the user and password of the database.`,
    );
    expect(JSON.stringify(bench.logged)).to.not.include('not-the-right-one');
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
