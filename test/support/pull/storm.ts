/**
 * Clients of one pull consumer, all at once and each on a connection of its own, with everything that happens to real
 * ones: they forget batches, acknowledge late, twice and in parts, give back, extend; their backends are killed in the
 * middle of a statement. A capture appends meanwhile, with changed keys and messages that arrive parked, and a person
 * retries and discards what is parked. What must hold is looked at with each batch, and at the end.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { clientConfig, type Queryable } from '../../../src/db/pool.ts';
import { appendMessages, type MessageFixture, parkOnArrival } from '../fixtures/fixtures.ts';
import type { MessageDatabase } from '../postgres/message-database.ts';
import { type Batch, type Pull, pullFrom } from './pull.ts';

export interface PullStormOptions {
  no: number;
  name: string;
  ms: number;
  clients: number;
  groups: number;
  maxPerGroup: number;
  /** Messages arrive in this lane; 1: somebody else shapes them, and tells `gone` what he drops. */
  lane: number;
  visibility: string;
}

export interface PullStorm {
  faults: string[];
  appended: number;
  received: number;
  killed: number;
  /** No longer to come, for a reason that the storm does not see itself. */
  gone(id: number): void;
  run(): Promise<void>;
}

interface Known {
  groups: number[];
  /** open: to come, or with a client. unclear: an answer was sent, and what became of it is not known. */
  state: 'open' | 'unclear' | 'acked';
  holder: string | undefined;
  /** Was put back by a person: it may come beside what was handed out meanwhile. */
  retried: boolean;
}

/** Lost connections, and waiting too long on a busy machine: a client tries again. A deadlock is a fault. */
const CALM = new Set(['57P01', '55P03', '57P03', '08006', '08003']);

export function pullStorm(m: MessageDatabase, options: PullStormOptions): PullStorm {
  const known = new Map<number, Known>();
  const byGroup = new Map<number, number[]>();
  const faults: string[] = [];
  const pids = new Set<number>();
  const end = Date.now() + options.ms;
  const over = (): boolean => Date.now() > end || faults.length > 10;
  const self: PullStorm = { faults, appended: 0, received: 0, killed: 0, gone, run };

  function gone(id: number): void {
    const message = known.get(id);
    if (message?.state === 'open') message.state = 'unclear';
  }

  async function append(): Promise<void> {
    while (!over()) {
      const messages = Array.from({ length: 1 + random(20) }, (): MessageFixture => {
        const roll = Math.random();
        const group = 1 + random(options.groups);
        if (roll < 0.1) return { group, group2: 1 + random(options.groups), lane: options.lane };
        return { group: roll < 0.15 ? null : group, lane: options.lane };
      });
      await m.db.transaction(async (tx) => {
        const ids = await appendMessages(tx, options.no, messages);
        const parked = ids.filter(() => Math.random() < 0.02);
        if (parked.length > 0) await parkOnArrival(tx, options.no, parked);
        ids.forEach((id, i) => {
          const groups = [messages[i]!.group, messages[i]!.group2].filter((key) => typeof key === 'number');
          known.set(id, { groups, state: 'open', holder: undefined, retried: parked.includes(id) });
          for (const key of groups) byGroup.set(key, [...(byGroup.get(key) ?? []), id]);
        });
        self.appended += ids.length;
        if (Math.random() < 0.2) await pause(random(15));
      });
      await pause(random(10));
    }
  }

  /** Order and sharing, as this batch was handed out. */
  async function take(batch: Batch): Promise<void> {
    self.received += batch.ids.length;
    const suspects: number[] = [];
    const together = new Set(batch.ids);
    for (const id of batch.ids) {
      const message = known.get(id)!;
      if (message.state === 'acked') faults.push(`${id} was acknowledged, and came again`);
      if (message.state === 'unclear') message.state = 'open';
      for (const key of message.groups) {
        if (message.retried) continue;
        for (const other of byGroup.get(key)!) {
          const before = known.get(other)!;
          if (before.retried || together.has(other)) continue;
          if (before.holder !== undefined) faults.push(`group ${key}: ${id} went out while a client had ${other}`);
          if (other < id && before.state === 'open') suspects.push(other);
        }
        const share = batch.ids.filter((other) => known.get(other)!.groups.includes(key));
        if (share.length > options.maxPerGroup && share.every((other) => known.get(other)!.groups[0] === key))
          faults.push(`group ${key}: ${share.length} in one batch`);
      }
    }
    for (const id of batch.ids) known.get(id)!.holder = batch.token!;
    if (suspects.length === 0) return;
    const { rows } = await m.db.query<{ id: number }>(
      `select s.id from unnest($2::bigint[]) s (id) join millrace_private.messages m on m.sink_no = $1 and m.id = s.id
        where not exists (select from millrace_private.delivery_states x
                           where x.sink_no = $1 and x.id = s.id and x.state = 'parked')`,
      [options.no, suspects],
    );
    for (const { id } of rows) {
      const { state, retried } = known.get(id)!;
      if (state === 'open' && !retried) faults.push(`${batch.ids.join()} went out before ${id}`);
    }
  }

  function free(batch: Batch): void {
    for (const id of batch.ids) {
      const message = known.get(id)!;
      if (message.holder === batch.token) message.holder = undefined;
    }
  }

  async function answer(pull: Pull, batch: Batch, older: Batch | undefined): Promise<void> {
    const roll = Math.random();
    free(batch);
    if (roll < 0.6) {
      for (const id of batch.ids) known.get(id)!.state = 'unclear';
      const cut = Math.random() < 0.3 ? random(batch.ids.length + 1) : batch.ids.length;
      const count = await pull.ack(batch.ackIds.slice(0, cut));
      const rest = cut < batch.ids.length ? await pull.ack(batch.ackIds) : 0;
      if (count + rest === batch.ids.length) for (const id of batch.ids) known.get(id)!.state = 'acked';
      if ((await pull.ack(batch.ackIds)) !== 0) faults.push(`twice: ${batch.ids.join()}`);
    } else if (roll < 0.72) await pull.nack(batch.ackIds, Math.random() < 0.5 ? '0' : '30 ms');
    else if (roll < 0.82) await pull.release(batch.ackIds);
    else if (roll < 0.88) {
      await pull.extend(batch.ackIds, '300 ms');
      await pause(random(20));
    } else if (roll < 0.94) await pull.expire(batch.token);
    // Else it is forgotten, and comes again by itself.
    if (older && Math.random() < 0.3) {
      const late = random(3);
      if (late === 0) {
        for (const id of older.ids) gone(id);
        await pull.ack(older.ackIds);
      } else if (late === 1) await pull.nack(older.ackIds);
    }
  }

  async function client(): Promise<void> {
    while (!over()) {
      const connection = new pg.Client(clientConfig({ address: m.url, max: 1, applicationName: 'storm' }));
      connection.on('error', () => undefined);
      await connection.connect();
      const queryable = queries(connection);
      const pid = (await queryable.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;
      pids.add(pid);
      const pull = pullFrom(queryable, options.no);
      let held: Batch | undefined;
      let older: Batch | undefined;
      try {
        while (!over()) {
          const batch = await pull.receive(1 + random(12), options.visibility);
          if (batch.ids.length === 0) continue;
          held = batch;
          await take(batch);
          if (Math.random() < 0.1) await pause(random(30));
          await answer(pull, batch, older);
          older = batch;
        }
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'lost';
        if (error instanceof pg.DatabaseError && !CALM.has(code)) faults.push(`${code}: ${error.message}`);
      }
      pids.delete(pid);
      if (held) free(held);
      await connection.end().catch(() => undefined);
    }
  }

  async function kill(): Promise<void> {
    while (!over()) {
      await pause(20 + random(150));
      const [pid] = [...pids].sort(() => Math.random() - 0.5);
      if (pid === undefined) continue;
      self.killed += 1;
      await m.db.query('select pg_terminate_backend($1)', [pid]);
    }
  }

  async function parked(): Promise<number[]> {
    const { rows } = await m.db.query<{ id: number }>(
      `select id from millrace_private.delivery_states where sink_no = $1 and state = 'parked'`,
      [options.no],
    );
    return rows.map(({ id }) => id);
  }

  async function person(): Promise<void> {
    while (!over()) {
      await pause(random(60));
      const ids = (await parked()).filter(() => Math.random() < 0.5);
      const what = Math.random() < 0.7 ? 'retry' : 'discard';
      for (const id of ids) {
        known.get(id)!.retried = true;
        if (what === 'discard') gone(id);
      }
      await m.db.query(`select millrace.${what}($1, $2)`, [options.name, ids]);
    }
  }

  /** Everything is let go; then everything must come. */
  async function drain(): Promise<void> {
    const pull = pullFrom(m.db, options.no);
    const deadline = Date.now() + 60_000;
    for (;;) {
      await m.db.query('select millrace.retry($1, $2)', [options.name, await parked()]);
      await m.db.query(
        `with locked as materialized (select millrace_private.lock_consumer($1, 'turn'))
         update millrace_private.leases l set until = clock_timestamp() from locked where l.sink_no = $1`,
        [options.no],
      );
      await m.db.query(
        `update millrace_private.delivery_states set due_at = clock_timestamp() - interval '1 ms'
          where sink_no = $1 and due_at is not null`,
        [options.no],
      );
      for (const message of known.values()) message.retried = true;
      for (let batch = await pull.receive(1000); batch.ids.length > 0; batch = await pull.receive(1000)) {
        await take(batch);
        free(batch);
        await pull.ack(batch.ackIds);
        for (const id of batch.ids) known.get(id)!.state = 'acked';
      }
      const left = await pull.stored();
      if (left.length === 0) break;
      if (Date.now() > deadline) {
        faults.push(`stuck: ${left.length}, the first is ${left[0]}`);
        return;
      }
      await pause(20);
    }
    const { rows } = await m.db.query<{ left: string }>(
      `select concat_ws(', ', l.leases || ' leases', x.states || ' states', c.cursors || ' cursors') as left
         from (select count(*) as leases from millrace_private.leases where sink_no = $1) l,
              (select count(*) as states from millrace_private.delivery_states where sink_no = $1) x,
              (select count(*) as cursors from millrace_private.cursor_log where sink_no = $1 and lane = 0) c
        where l.leases > 0 or x.states > 0 or c.cursors > 64`,
      [options.no],
    );
    for (const { left } of rows) faults.push(`left behind: ${left}`);
    for (const [id, { state }] of known) if (state === 'open') faults.push(`${id} never came`);
  }

  async function run(): Promise<void> {
    await Promise.all([append(), kill(), person(), ...Array.from({ length: options.clients }, client)]);
    await drain();
  }
  return self;
}

const random = (below: number): number => Math.floor(Math.random() * below);

function queries(connection: pg.Client): Queryable {
  return {
    async query<Row>(statement: { text: string } | string, values: readonly unknown[] = []) {
      const text = typeof statement === 'string' ? statement : statement.text;
      const result = await connection.query(text, [...values]);
      return { rows: result.rows as Row[], rowCount: result.rowCount ?? 0 };
    },
  };
}
