/**
 * A worker's lanes in a process of its own, to be killed by what it delivers: MESSAGES is the address of the message database,
 * LANES the lanes as JSON, MODE the kind of destination. A delivery whose body holds `evil` kills the process before
 * anything is sent. Others are written into the table `delivered`. Ends with 0 when nothing is left to do now.
 */
import { openPool } from '../../../src/db/pool.ts';
import type { LaneSink } from '../../../src/deliver/target.ts';
import { createTurn } from '../../../src/deliver/turn.ts';
import type { Delivery, SendResult, Sink, SinkTransaction } from '../../../src/model/sink.ts';
import { createLog } from '../../../src/runtime/log.ts';
import { openSandbox } from '../../../src/transform/sandbox.ts';
import { laneSink, runOnce } from '../fixtures/lane.ts';
import { code } from '../fixtures/sandbox.ts';

export interface LaneOfChild {
  sinkNo: number;
  lane: number;
}

const lanes = JSON.parse(process.env.LANES ?? '[]') as LaneOfChild[];
const mode = process.env.MODE ?? 'send';
const db = openPool({ address: process.env.MESSAGES ?? '', max: 4, applicationName: 'millrace lane child' });
const log = createLog({ level: 'silent', role: 'test' });
const sandbox = openSandbox({ log });
const turn = createTurn();

async function write(tx: Pick<SinkTransaction, 'query'>, batch: readonly Delivery[]): Promise<SendResult> {
  if (batch.some(({ body }) => body.includes('evil'))) {
    process.kill(process.pid, 'SIGKILL');
    // Nothing of this process runs any longer.
    await new Promise(() => undefined);
  }
  const text = 'insert into public.delivered (sink_no, id, batch) select $1::int, unnest($2::bigint[]), $3::int';
  await tx.query(text, [Number(batch[0]!.tableOid), batch.map(({ id }) => id), batch.length]);
  return { outcomes: batch.map(() => ({ kind: 'done' as const })) };
}

function sinkOf(sinkNo: number): Sink {
  const named = (batch: readonly Delivery[]) => batch.map((delivery) => ({ ...delivery, tableOid: sinkNo }));
  return {
    batchSize: 400,
    batchBytes: 8_000_000,
    send: async (batch) => await write(db, named(batch)),
    ...(mode === 'within' ? { within: async (tx, batch) => await write(tx, named(batch)) } : {}),
    test: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}

function targetOf(sinkNo: number): LaneSink {
  const functions = mode === 'functions' ? { transform: code('(a, r) => ({ ...r, seen: true })') } : {};
  const replaces = mode !== 'within';
  return laneSink({ no: sinkNo, sink: sinkOf(sinkNo), functions, replaces, deleteOnLeave: true, tested: false });
}

let runs = 0;
async function untilDone({ sinkNo, lane }: LaneOfChild): Promise<void> {
  const target = targetOf(sinkNo);
  for (;;) {
    runs += 1;
    const owner = `${process.pid}-${runs}`;
    const end = await runOnce({ db, sandbox }, { target, lane, owner, turn, runMs: 10_000 });
    if (end.taken && end.again === undefined) return;
    // Another lane has its turn, or what failed is due soon.
    const waitMs = end.again instanceof Date ? end.again.getTime() - Date.now() : 0;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)));
  }
}

await Promise.all(lanes.map(untilDone));
await sandbox.close();
await db.close();
process.exit(0);
