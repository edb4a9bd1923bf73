/**
 * Kill -9, a source that crashes, an engine that is away and a message database that restarts, in the middle of a backfill,
 * a replay, a rebuild and a resync, while rows change at random: nothing is lost, nothing older comes after something newer.
 * The command that began it may die too, or lose its connection: called again it goes on, or says what is under way.
 */
import { expect } from 'chai';
import { changeRows } from '../support/fixtures/change-rows.ts';
import { expectFacts } from '../support/outages/facts.ts';
import { churn, entryOf, ledgerEntries, transaction } from '../support/outages/ledger.ts';
import { type Outages, ROWS, SINKS, SLOT, startOutages } from '../support/outages/outages.ts';
import { STRIKES, type UnderWay } from '../support/outages/strikes.ts';
import { stopServices } from '../support/processes/service.ts';
import { until } from '../support/until.ts';

const SEED = Number(process.env.SEED ?? 9_241);
/** In the gate each operation meets one of them; in .ci/long all. */
const EVERY_PLACE = process.env.MILLRACE_TEST_EVERY_PLACE === '1';
const DEADLINE_MS = 40_000;
/** Entries of one replay: three pages. */
const REPLAYED = 4_500;

interface Operation {
  name: string;
  /** Makes ready for it, with a capture that has these failpoints; the commands to be called. */
  prepare(failpoints: string | undefined): Promise<string[][]>;
  /** What a second call says while it is under way, and goes on watching. */
  again: RegExp;
}

describe('outages', function () {
  this.timeout(120_000);
  let world: Outages;
  /** Sent again to `replayed` by replays. */
  const again: string[] = [];
  /** Written into the ledger while there was no slot. */
  const lost: string[] = [];
  const indexes = ['accounts'];
  const sinks = [...SINKS];
  let rebuilt = 0;

  before(async () => {
    world = await startOutages(SEED);
  });
  after(async () => {
    await world?.close();
    await stopServices();
  });
  afterEach(async function () {
    if (this.currentTest?.state !== 'failed') return;
    const { rows } = await world.messages.query(
      'select kind, sink_name, state, reason, rows_done, rows_total from millrace.backfill_status order by created_at',
    );
    console.error(`SEED=${SEED}`, this.currentTest.err, rows.slice(-4));
    for (const role of [world.capture, world.worker]) console.error(role.output().slice(-3_000));
  });

  const OPERATIONS: Operation[] = [
    {
      name: 'backfill',
      async prepare(failpoints) {
        await world.restart('capture', failpoints);
        return [
          ['backfill', 'accounts-index', 'accounts'],
          ['backfill', 'pulled', 'accounts'],
        ];
      },
      again: /A backfill of (accounts-index|pulled) is under way/,
    },
    {
      name: 'replay',
      async prepare(failpoints) {
        await world.restart('capture', failpoints);
        const entries = (await changeRows(world.archive, 'accounts_events')).slice(-REPLAYED);
        again.push(...entries.map(entryOf));
        const range = ['--from-seq', String(entries[0]!.seq), '--to-seq', String(entries.at(-1)!.seq)];
        return [
          ['replay', 'history', 'accounts-index', ...range],
          ['replay', 'history', 'replayed', ...range],
        ];
      },
      again: /A replay of history to .* is under way/,
    },
    {
      name: 'rebuild',
      async prepare(failpoints) {
        await world.restart('capture', failpoints);
        await removeRebuilt();
        rebuilt += 1;
        const index = `accounts-${rebuilt}`;
        world.engine.engine.createIndex(index);
        indexes.push(index);
        sinks.push(`accounts-index-${index}`);
        return [['rebuild', 'accounts-index', '--index', index]];
      },
      again: /A rebuild of accounts-index is under way/,
    },
    {
      name: 'resync',
      async prepare(failpoints) {
        await removeRebuilt();
        await gap();
        await world.capture.start({ wait: false, ...(failpoints ? { env: { MILLRACE_FAILPOINTS: failpoints } } : {}) });
        const sql = "select from millrace.database_status where state = 'needs_resync'";
        await until('a resync is needed', async () => (await world.messages.query(sql)).rowCount > 0, DEADLINE_MS);
        return [['resync', 'shop', '--yes']];
      },
      again: /A resync of shop is under way/,
    },
  ];

  /** The one before: what follows would send to each of them, and look through them all. */
  async function removeRebuilt(): Promise<void> {
    if (indexes.length === 1) return;
    const { code, stderr } = await world.cli('sink', 'remove', sinks.pop()!, '--yes').ended(DEADLINE_MS);
    expect(code, stderr).to.equal(0);
    indexes.pop();
  }

  /** The slot is gone, and rows change unseen. */
  async function gap(): Promise<void> {
    await world.settled(sinks);
    const before = new Set(await ledgerEntries(world.shop));
    await world.capture.kill();
    const drop = `select pg_drop_replication_slot('${SLOT}')`;
    await until('the slot is dropped', () =>
      world.shop.query(drop).then(
        () => true,
        () => false,
      ),
    );
    for (let n = 0; n < 30; n++) await churn(world.shop, transaction(world.random, ROWS));
    lost.push(...(await ledgerEntries(world.shop)).filter((entry) => !before.has(entry)));
  }

  const lastBackfill = async (): Promise<number> => {
    const sql = 'select coalesce(max(no), 0)::integer as no from millrace_private.backfills';
    return (await world.messages.query<{ no: number }>(sql)).rows[0]!.no;
  };

  const allDone = () => {
    const sql = "select from millrace.backfill_status where state <> 'done'";
    const isDone = async (): Promise<boolean> => (await world.messages.query(sql)).rowCount === 0;
    return until('every operation is done', isDone, DEADLINE_MS);
  };

  for (const [place, operation] of OPERATIONS.entries()) {
    describe(operation.name, () => {
      for (const { name, failpoints, strike } of EVERY_PLACE ? STRIKES : [STRIKES[place % STRIKES.length]!]) {
        it(name, async () => {
          const calls = await operation.prepare(failpoints);
          const began = await lastBackfill();
          const commands = calls.map((args) => world.cli(...args));
          const at: UnderWay = { commands, began, callAgain: () => callAgain(calls, { operation, at }) };
          // While there is no slot nobody would hear of what is written.
          if (operation.name !== 'resync') world.write();
          await strike(world, at);
          // It compares the index at the end; outages of verify have writers while it does.
          if (operation.name === 'resync') await world.hold();
          for (const call of calls) await endsWell(call, at);
          await allDone();
          await world.settled(sinks);
          await expectFacts(world, { indexes, again, lost });
        });
      }
    });
  }

  /** It is done; or it says in a sentence why it cannot watch any more, and is called again. */
  async function endsWell(call: string[], { commands }: UnderWay): Promise<void> {
    const command = commands.shift();
    if (!command) return;
    const { code, stdout, stderr } = await command.ended(DEADLINE_MS);
    expect(stderr).not.to.match(/\n\s+at /);
    if (code === 0) return;
    expect(code, stdout + stderr).to.equal(1);
    expect(stderr).to.match(/^The message database cannot be used any more: .+\n {2}What was begun continues without/);
    if (call[0] !== 'rebuild' && call[0] !== 'resync') return;
    const second = await world.cli(...call).ended(DEADLINE_MS);
    expect(second.code, second.stdout + second.stderr).to.equal(0);
  }

  async function callAgain(
    calls: string[][],
    { operation, at }: { operation: Operation; at: UnderWay },
  ): Promise<void> {
    for (const call of calls) {
      const command = world.cli(...call);
      await until('it says that it is under way', () => operation.again.test(command.output()), DEADLINE_MS);
      at.commands.push(command);
    }
  }
});
