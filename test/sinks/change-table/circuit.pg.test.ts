/** A destination at fault: the reason, Postgres' words, what to do; no message is touched, and fixing it is enough. */
import { expect } from 'chai';
import type { Circuit, Delivery, SendResult, Sink } from '../../../src/model/sink.ts';
import { type Bench, changeTableBench, writeWithin } from '../../support/fixtures/change-table.ts';
import { delivery } from '../../support/fixtures/delivery.ts';

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
          '23514: no partition of relation "orders_events" found for row. Create the partition that 2026-01-02 03:04:05.678901+00 needs; ' +
          'an old message that was put back can also be discarded.',
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

    const remedyOf = (error: string): string => /Run: (.*)$/m.exec(error)![1]!;
    const rows = (count: number, from = 1): Delivery[] =>
      Array.from({ length: count }, (_, n) => delivery(from + n, `${from + n}`));
    const kinds = ({ outcomes }: SendResult): string[] => outcomes.map(({ kind }) => kind);

    for (const [what, broke, shown] of [
      [
        'a serial at its end',
        `alter table orders_events alter column id type integer; alter sequence orders_events_id_seq as integer; select setval('orders_events_id_seq', 2147483647)`,
        /^2200H: .*\n.*"id" is used up: there is no number after 2147483647/,
      ],
      [
        'a serial whose sequence goes on',
        `alter table orders_events alter column id type integer; select setval('orders_events_id_seq', 2147483647)`,
        /^22003: .*\n.*"id" is used up/,
      ],
      [
        'a sequence with an end of its own',
        `alter sequence orders_events_id_seq maxvalue 5; select setval('orders_events_id_seq', 5)`,
        /^2200H: .*\n.*no number after 5\b/,
      ],
      [
        'the end of bigint',
        `select setval('orders_events_id_seq', 9223372036854775807)`,
        /^2200H: .*\n.*no number after 9223372036854775807/,
      ],
    ] as const) {
      it(`${what}: the statement that gives it numbers is in the error, and is enough`, async () => {
        await bench.destination.query(broke);
        const { reason, error } = await broken(sink);
        expect(reason).to.equal('bad_destination');
        expect(error).to.match(shown);
        expect((await sink.test(signal))?.error).to.contain('is used up');
        await bench.destination.query(remedyOf(error));
        expect(await sink.test(signal)).to.equal(undefined);
        await works(sink);
      });
    }

    it('a sequence behind the table, as after a restore: the setval is in the error, and is enough', async () => {
      await deliver(sink, rows(9));
      await bench.destination.query(`select setval('orders_events_id_seq', 1, false)`);
      const { reason, error } = await broken(sink);
      expect(reason).to.equal('bad_destination');
      expect(error).to.match(/^23505: .*the sequence of column "id" is behind the table/);
      await bench.destination.query(remedyOf(error));
      await works(sink);
    });

    for (const [column, type, using] of [
      ['record', 'json', 'record::json'],
      ['seq', 'smallint', '1'],
      ['source_table_oid', 'smallint', '1'],
      ['record_pk', 'varchar(1)', `'1'`],
      ['record_pk', 'char(1)', `'1'`],
      ['source_table_name', 'varchar(2)', `'x'`],
      ['action', 'varchar(3)', `'x'`],
      ['committed_at', 'date', 'now()'],
    ] as const) {
      it(`a column that became ${type}: ${column}`, async () => {
        await bench.destination.query(`alter table orders_events alter column ${column} type ${type} using ${using}`);
        let { circuit } = await deliver(sink, [delivery(40_000, '11')]);
        // What Postgres casts without a word is found when the table is looked at.
        circuit ??= await sink.test(signal);
        expect(circuit?.reason).to.equal('bad_destination');
        expect(circuit?.error).to.contain(`column "${column}" is `);
        await bench.destination.query(remedyOf(circuit!.error));
        expect(await sink.test(signal)).to.equal(undefined);
      });
    }

    const refuse = (when: string, how = `raise 'not today'`): string => `
      create function refuse() returns trigger language plpgsql as $$
        begin if ${when} then ${how}; end if; return new; end $$;`;

    it('a trigger that raises for a row: that one is parked, the others go through', async () => {
      await bench.destination.query(`${refuse(`new.record_pk = '5'`)}
        create trigger refuse before insert on orders_events for each row execute function refuse()`);
      const result = await deliver(sink, rows(9));
      expect(kinds(result)).to.deep.equal(rows(9).map(({ id }) => (id === 5 ? 'park' : 'done')));
      expect(result.outcomes[4]).to.deep.equal({ kind: 'park', error: 'P0001: not today' });
    });

    it('alone, it stops the table and is named, until others pass', async () => {
      await bench.destination.query(`${refuse(`new.record_pk = '5'`)}
        create trigger refuse before insert on orders_events for each row execute function refuse()`);
      const { circuit } = await deliver(sink, rows(1, 5));
      expect(circuit?.reason).to.equal('bad_destination');
      expect(circuit?.error).to.match(
        /^"public"."orders_events" refuses message 5 of public.products: P0001: not today\./,
      );
      expect(kinds(await deliver(sink, rows(2, 5)))).to.deep.equal(['park', 'done']);
    });

    it('a trigger that raises for every row is the table’s fault: none is parked', async () => {
      await bench.destination.query(`${refuse('true')}
        create trigger refuse before insert on orders_events for each row execute function refuse()`);
      const { outcomes, circuit } = await deliver(sink, rows(100));
      expect([outcomes, circuit?.reason]).to.deep.equal([[], 'bad_destination']);
      await bench.destination.query('drop trigger refuse on orders_events');
      await works(sink);
    });

    it('what is checked at the end of the transaction is the row’s too', async () => {
      await bench.destination.query(`${refuse(`new.record_pk = '5'`)}
        create constraint trigger refuse after insert on orders_events deferrable initially deferred
           for each row execute function refuse()`);
      expect(kinds(await deliver(sink, rows(9)))).to.deep.equal(rows(9).map(({ id }) => (id === 5 ? 'park' : 'done')));
    });

    it('a check of the user’s: refuses a row, or all of them', async () => {
      await bench.destination.query(`alter table orders_events add constraint few check (record_pk::int > 20)`);
      let id = 0;
      const fresh = (count: number, from: number): Delivery[] =>
        Array.from({ length: count }, (_, n) => delivery(++id, `${from + n}`));
      expect(kinds(await deliver(sink, [...fresh(12, 1), ...fresh(3, 30)]))).to.deep.equal([
        ...Array(12).fill('park'),
        ...Array(3).fill('done'),
      ]);
      const { circuit } = await deliver(sink, fresh(12, 1));
      expect(circuit?.error).to.contain('23514').and.contain('"few"').and.contain('No entry passes');
      // One after the other, as they come when there is little to do.
      await deliver(sink, fresh(1, 31));
      const alone: string[] = [];
      for (let n = 1; n < 10; n += 1) alone.push((await deliver(sink, fresh(1, n))).circuit?.reason ?? 'parked');
      expect(alone).to.deep.equal([...Array(7).fill('parked'), ...Array(2).fill('bad_destination')]);
      expect(kinds(await deliver(sink, [...fresh(12, 1), ...fresh(1, 32)])).at(-1)).to.equal('done');
    });

    it('rows that jsonb refuses are parked, however many', async () => {
      const record = '{"a":"\\u0000"}';
      const bad = rows(20).map((row) => ({ ...row, record }));
      expect(kinds(await deliver(sink, bad))).to.deep.equal(Array(20).fill('park'));
    });
  });
}
