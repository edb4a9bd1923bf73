/** Writes that reach a table on unusual ways are told like any others, each after the one that it follows from. */
import { expect } from 'chai';
import pg from 'pg';
import { type Captured, type CapturedMessage, captured, PULL, sinkSettings } from '../../support/fixtures/captured.ts';
import { AS_PLAIN, toPlainRole } from '../../support/postgres/plain-role.ts';
import { eachMajor, type TestDatabase } from '../../support/postgres/postgres.ts';

type Row = Record<string, unknown>;

/** Each message must follow from what was told before; what the tables are then, by name. */
function replayed(messages: readonly CapturedMessage[]): Record<string, Row[]> {
  const tables: Record<string, Map<string, Row>> = {};
  for (const { id: no, action, record, changes, record_pks: pks, text } of messages) {
    const name = JSON.parse(text).metadata.table_name as string;
    const rows = tables[name] ?? new Map<string, Row>();
    tables[name] = rows;
    const row = JSON.parse(record) as Row;
    const old = { ...row, ...(changes === null ? {} : (JSON.parse(changes) as Row)) };
    const key = JSON.stringify([String(old.id)]);
    expect(rows.get(key), `${action} ${no} of ${name}`).to.deep.equal(action === 'insert' ? undefined : old);
    rows.delete(key);
    if (action === 'delete') continue;
    expect(rows.get(pks), `${action} ${no} of ${name}`).to.equal(undefined);
    rows.set(pks, row);
  }
  return Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, [...rows.values()]]));
}

describe('unusual writers of a source that triggers note', function () {
  this.timeout(180_000);
  eachMajor((cluster) => {
    let on: Captured;
    let sink: number;
    const clients: pg.Client[] = [];
    const databases: TestDatabase[] = [];
    const connect = async (url: string): Promise<pg.Client> => {
      const client = new pg.Client({ connectionString: url });
      client.on('error', () => undefined);
      await client.connect();
      clients.push(client);
      return client;
    };
    afterEach(async () => {
      await on?.close();
      for (const client of clients.splice(0)) await client.end().catch(() => undefined);
      for (const database of databases.splice(0)) await database.drop();
    });
    const begin = async (schema: string): Promise<void> => {
      on = await captured(schema, { cluster: cluster(), settings: { capture: 'triggers' } });
      sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
      on.start();
      await on.streaming();
    };
    /** Everything up to a last change, and that it makes the tables what they are. */
    const isTold = async (...tables: string[]): Promise<CapturedMessage[]> => {
      await on.source.query('insert into the_end values (0)');
      let found: CapturedMessage[] = [];
      for (let count = 1; !found.some(({ text }) => JSON.parse(text).metadata.table_name === 'the_end'); )
        found = await on.received(sink, found.length === 0 ? count : found.length + 1);
      const now = replayed(found);
      for (const table of tables) {
        const { rows } = await on.source.query<{ row: Row }>(`select to_jsonb(t) as row from ${table} t`);
        const sorted = (all: Row[]): string[] =>
          all.map((row) => JSON.stringify(row, Object.keys(row).toSorted())).toSorted();
        expect(sorted(now[table] ?? []), table).to.deep.equal(sorted(rows.map(({ row }) => row)));
      }
      return found;
    };

    it('are triggers, keys and rules of the user in one transaction, in any order', async () => {
      await begin(`
        create table the_end (id int primary key);
        create table shops (id int primary key, n int not null default 0, note text);
        create table orders (id int primary key, shop int references shops on update cascade on delete cascade deferrable initially deferred, amount int);
        create table log (id serial primary key, what text);
        create view open_orders with (security_barrier) as select id, shop, amount from orders where amount > 0 with check option;
        create rule logged as on delete to orders do also insert into log (what) values ('deleted ' || old.id);
        create function counts() returns trigger language plpgsql as $$ begin
          update shops set n = n + 1 where id in (new.shop, old.shop); return null; end $$;
        create trigger zz_counts after insert or update or delete on orders for each row execute function counts();
        create constraint trigger late after insert or update on orders deferrable initially deferred for each row execute function counts();
        create function shapes() returns trigger language plpgsql as $$ begin
          if new.amount = 13 then return null; end if;
          new.amount := new.amount + 1; return new; end $$;
        create trigger before_write before insert or update on orders for each row execute function shapes();
        create function self() returns trigger language plpgsql as $$ begin
          if pg_trigger_depth() < 3 then update shops set note = coalesce(note, '') || 'x' where id = new.id % 3 + 1; end if; return null; end $$;
        create trigger aaa_self after update on shops for each row execute function self()`);
      await on.source.query(`
        insert into shops (id) values (1), (2), (3);
        begin; set constraints all deferred;
        insert into orders values (1, 9, 5), (2, 2, 13), (3, 1, 7);
        insert into shops (id) values (9);
        with gone as (delete from shops where id = 3 returning id), made as (insert into orders select 10 + id, 1, id from gone returning *)
          update orders set amount = amount + 100 where id = 3;
        update shops set id = 4 where id = 9;
        insert into open_orders values (5, 2, 1) on conflict (id) do update set amount = excluded.amount;
        insert into orders values (5, 1, 50), (6, 2, 60) on conflict (id) do update set amount = orders.amount + excluded.amount, shop = excluded.shop;
        update open_orders set amount = amount + 1;
        delete from open_orders where id = 6;
        set constraints all immediate;
        update orders set id = id + 100;
        delete from shops where id = 1;
        commit`);
      await isTold('shops', 'orders', 'log');
    });

    it('are roles that may write some columns of some rows, where policies are forced on everybody', async () => {
      const role = `few_${process.pid}`;
      await begin(`
        create table the_end (id int primary key);
        create table notes (id int primary key, who text default current_user, text text);
        alter table notes enable row level security; alter table notes force row level security;
        create policy own on notes using (who = current_user) with check (who = current_user);
        create role ${role}; grant usage on schema public to ${role};
        grant insert (id, text), update (text), delete, select (id, who) on notes to ${role}`);
      try {
        await on.source.query(`
          insert into notes values (1, 'somebody', 'of somebody');
          set role ${role};
          insert into notes (id, text) values (2, 'mine'), (3, 'mine too');
          update notes set text = 'still mine';
          delete from notes where id = 3;
          reset role`);
        await isTold('notes');
      } finally {
        await on.source.query(`reset role; drop owned by ${role}; drop role ${role}`);
      }
    });

    it('are workers that apply the changes of another database', async () => {
      const rows = `create table rows (id int primary key, value text)`;
      const publisher = await cluster().createDatabase();
      databases.push(publisher);
      const there = await connect(publisher.url);
      const slot = `apply_${publisher.name}`;
      await there.query(
        `${rows}; create publication p for table rows; insert into rows values (1, 'before'), (2, 'before')`,
      );
      await there.query("select pg_create_logical_replication_slot($1, 'pgoutput')", [slot]);
      await begin(`create table the_end (id int primary key); ${rows}`);
      const { hostname, port, password, username } = new URL(publisher.url);
      const address = `host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)} dbname=${publisher.name}`;
      await on.source.query(
        `create subscription s connection '${address}' publication p with (create_slot = false, slot_name = '${slot}')`,
      );
      try {
        await on.received(sink, 2);
        await there.query(
          "update rows set value = 'after' where id = 1; delete from rows where id = 2; insert into rows values (3, 'new')",
        );
        await on.received(sink, 5);
        await isTold('rows');
        await there.query("truncate rows; insert into rows values (4, 'last')");
        await on.received(sink, 7);
        expect((await on.notices(sink)).map(({ code }) => code)).to.include('truncated');
      } finally {
        await on.source.query(
          'alter subscription s disable; alter subscription s set (slot_name = none); drop subscription s',
        );
        await there.query('select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = $1', [
          slot,
        ]);
      }
    });

    it('are sessions that drop what others own', async () => {
      const role = `owner_${process.pid}`;
      await begin(`
        create table the_end (id int primary key);
        create table items (id int primary key); create role ${role}; alter table items owner to ${role};
        ${AS_PLAIN ? toPlainRole(`grant ${role} to`) : ''}`);
      await on.source.query('insert into items values (1); insert into items values (2)');
      await on.source.query(
        `begin; insert into items values (3); drop owned by ${role}; insert into the_end values (1); commit; drop role ${role}`,
      );
      const told = await on.received(sink, 4);
      expect(told.map(({ record }) => record)).to.deep.equal(['{"id":1}', '{"id":2}', '{"id":3}', '{"id":1}']);
      await isTold();
    });
  });
});
