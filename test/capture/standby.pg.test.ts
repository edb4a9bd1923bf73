/** Several captures of one database: one streams, the others stand by, and none of them harms what another one wrote. */
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { append } from '../../src/messages/append.ts';
import { readPosition, takeOver } from '../../src/messages/position.ts';
import { isFenced } from '../../src/model/sqlstate.ts';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { byWay, ofReplication, readerPid } from '../support/postgres/capture-way.ts';
import { promised, until } from '../support/until.ts';

const CHILD = fileURLToPath(new URL('../support/processes/capture-child.ts', import.meta.url));
const LEDGER = 'create table ledger (id int primary key)';

describe('captures of one database', () => {
  let on: Captured;
  let sink: number;
  const children: ChildProcess[] = [];

  const spawnCapture = (): ChildProcess => {
    const env = { ...process.env, DECLARED: JSON.stringify(on.declared), MESSAGES: on.messages.url };
    const child = spawn(process.execPath, [CHILD], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    children.push(child);
    return child;
  };
  const holder = (): Promise<number | null> => readerPid(on.source, on.slot);
  /** What the slot was told is. */
  const isPersisted = async (): Promise<void> => {
    const { rows: slots } = await on.source.query(
      'select confirmed_flush_lsn::text as lsn from pg_replication_slots where slot_name = $1',
      [on.slot],
    );
    const { rows: persisted } = await on.messages.db.query<{ ok: boolean }>(
      'select max(confirmed_lsn) >= $1::pg_lsn as ok from millrace_private.position_log',
      [slots[0].lsn],
    );
    expect(persisted[0]!.ok).to.equal(true);
  };
  const states = async (): Promise<{ state: string; since: Date }> => {
    const { rows } = await on.messages.db.query<{ state: string; since: Date }>(
      'select state, state_since as since from millrace.database_status',
    );
    return rows[0]!;
  };

  beforeEach(async () => {
    on = await captured(LEDGER);
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
  });
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await on.close();
  });

  it('stands by quietly, and takes over within 5 s of a SIGKILL, with nothing lost or doubled', async () => {
    const first = spawnCapture();
    await on.streaming();
    const streamer = await holder();
    on.start();
    let written = 0;
    let over = false;
    const writing = (async () => {
      while (!over) {
        await on.source.query('insert into ledger values ($1::int)', [written + 1]);
        written += 1;
      }
    })();
    await on.received(sink, 50);
    const before = await states();
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(await holder()).to.equal(streamer);
    expect(await states()).to.deep.equal(before);
    expect(before.state).to.equal('streaming');
    const beats = await on.messages.db.query('select from millrace_private.capture_beats where generation is null');
    expect(beats.rowCount, 'of the one that stands by').to.equal(0);
    first.kill('SIGKILL');
    const killed = Date.now();
    await until('another one streams', async () => ![streamer, null].includes(await holder()));
    expect(Date.now() - killed).to.be.lessThan(promised(5_000));
    const reached = written;
    await until('more rows', () => written > reached + 50);
    over = true;
    await writing;
    const rows = await on.received(sink, written);
    expect(rows.map((row) => JSON.parse(row.record).id)).to.deep.equal(
      Array.from({ length: written }, (_, i) => i + 1),
    );
  });

  it('is unknown when the only one was killed, until another one streams', async () => {
    const only = spawnCapture();
    await on.streaming();
    expect((await states()).state).to.equal('streaming');
    only.kill('SIGKILL');
    await until('its session has ended', async () => (await holder()) === null);
    // As if 15 s had passed.
    await on.messages.db.query(`update millrace_private.capture_beats set at = at - interval '16 s'`);
    const { rows } = await on.messages.db.query(
      `select d.state, d.level, d.reasons, s.health, s.level as sink_level
         from millrace.database_status d cross join millrace.sink_status s`,
    );
    expect(rows).to.deep.equal([
      { state: 'unknown', level: 'unknown', reasons: ['no_capture'], health: 'source_unknown', sink_level: 'unknown' },
    ]);
    on.start();
    await until('it streams again', async () => (await states()).state === 'streaming');
  });

  it('takes over from one that stalls; when that one wakes up it changes nothing, and stands by', async () => {
    const { rows: names } = await on.source.query('select current_database() as name');
    await on.source.query(`alter database ${names[0].name} set wal_sender_timeout = '1s'`);
    const sleeper = spawnCapture();
    await on.streaming();
    const streamer = await holder();
    await on.source.query('insert into ledger select generate_series(1, 100)');
    await on.received(sink, 100);
    // Some of what it is sent is in its socket when it stalls, and some of it perhaps on its way to the message table.
    const writing = on.source.query('insert into ledger select generate_series(101, 20000)');
    sleeper.kill('SIGSTOP');
    await writing;
    on.start();
    await until('another one streams', async () => ![streamer, null].includes(await holder()));
    await on.source.query('insert into ledger select generate_series(20001, 20100)');
    await on.received(sink, 20_100);
    const generation = async (): Promise<number> => {
      const { rows } = await on.messages.db.query<{ generation: number }>(
        'select generation from millrace_private.positions',
      );
      return rows[0]!.generation;
    };
    const second = await until('it streams', holder);
    const taken = await generation();
    const { rows: asleep } = await on.messages.db.query<{ now: string }>('select clock_timestamp()::text as now');
    sleeper.kill('SIGCONT');
    // It has seen that its stream is over when it asks the message database again, and has looked at the slot.
    await until('it is awake', async () => {
      const { rows } = await on.messages.db.query(
        `select from pg_stat_activity where application_name = 'millrace capture child'
            and datname = current_database() and state_change > $1::timestamptz
            and query like '%position_log%' and not (query like 'call%' or query like 'begin%')`,
        [asleep[0]!.now],
      );
      return rows.length > 0;
    });
    await on.source.query('insert into ledger select generate_series(20101, 20200)');
    const rows = await on.received(sink, 20_200);
    expect(rows.map((row) => JSON.parse(row.record).id)).to.deep.equal(Array.from({ length: 20_200 }, (_, i) => i + 1));
    expect(await holder()).to.equal(second);
    expect(await generation()).to.equal(taken);
    expect((await states()).state).to.equal('streaming');
    await byWay({ replication: isPersisted, triggers: () => Promise.resolve() })();
    await on.stop();
    await until('the one that woke up takes over', async () => ![second, null].includes(await holder()));
    await on.source.query('insert into ledger values (20201)');
    expect(await on.received(sink, 20_201)).to.have.length(20_201);
  });

  it('lets a writer that was overtaken change nothing', async () => {
    on.start();
    await on.streaming();
    await on.source.query('insert into ledger values (1)');
    await on.received(sink, 1);
    await on.stop();
    const { db } = on.messages;
    const { rows } = await db.query<{ generation: number; catalog: number }>(
      `select p.generation, c.generation as catalog from millrace_private.positions p, millrace_private.catalog_state c`,
    );
    const old = { databaseNo: on.databaseNo, generation: rows[0]!.generation, catalogGeneration: rows[0]!.catalog };
    const position = await readPosition(db, on.databaseNo);
    const generation = await takeOver(db, on.databaseNo);
    expect(generation).to.equal(old.generation + 1);
    const input = { rows: undefined, parked: [], position: { ...position!, commitLsn: position!.commitLsn + 100n } };
    const refused: unknown = await append(db, old, input).catch((error: unknown) => error);
    expect(isFenced(refused)).to.equal(true);
    expect(await readPosition(db, on.databaseNo)).to.deep.equal(position);
    await append(db, { ...old, generation }, input);
    expect((await readPosition(db, on.databaseNo))?.commitLsn).to.equal(position!.commitLsn + 100n);
  });

  ofReplication('noted.pg.test.ts has it for triggers').it(
    'says who has the slot when that is nobody of ours, and goes on when it is free',
    async () => {
      on.start();
      await on.streaming();
      await on.stop();
      const url = new URL(on.sourceUrl);
      url.searchParams.set('replication', 'database');
      url.searchParams.set('application_name', 'somebody');
      const stranger = new pg.Client({ connectionString: url.href });
      stranger.on('error', () => undefined);
      await stranger.connect();
      const options = `("proto_version" '1', "publication_names" 'millrace_test')`;
      await until('the slot is free', async () => (await holder()) === null);
      const streaming = stranger
        .query(`START_REPLICATION SLOT "${on.slot}" LOGICAL 0/0 ${options}`)
        .catch(() => undefined);
      const pid = await until('the stranger streams', holder);
      on.start();
      expect((await on.becomes('standby')).reason).to.contain(`in use by backend ${pid} (somebody)`);
      await on.source.query('select pg_terminate_backend($1)', [pid]);
      await streaming;
      await on.streaming();
      await stranger.end();
    },
  );
});
