/**
 * A world with capture and worker in this process, whose backfills take small pages, for tests of replays: real entries of
 * a real change table, as a person asks for them.
 */
import { openBackfills } from '../../src/backfill/service.ts';
import { openCaptures } from '../../src/capture/service.ts';
import { loadCatalog } from '../../src/catalog/store.ts';
import { openPool } from '../../src/db/pool.ts';
import { migrate } from '../../src/roles/migrate.ts';
import { messageDatabase } from '../../src/roles/parts.ts';
import { workerParts } from '../../src/roles/worker.ts';
import { createLog } from '../../src/runtime/log.ts';
import { keyRing } from '../../src/runtime/secret-key.ts';
import { type Service, supervise } from '../../src/runtime/service.ts';
import { readSettings, type Settings, withDatabase } from '../../src/runtime/settings.ts';
import { type BackfillStatus, backfillsOf } from './backfilled.ts';
import { SECRET_KEY } from './service.ts';
import { until } from './until.ts';
import { createWorld, type World } from './world.ts';

export interface ReplayWorld extends World {
  settings: Settings;
  /** Runs `select millrace.replay(...)`; its id. */
  replay(args: string): Promise<string>;
  status(id: string): Promise<BackfillStatus>;
  /** Until it has ended, one way or another. */
  ended(id: string, deadlineMs?: number): Promise<BackfillStatus>;
  /** What the consumer has, taken and acknowledged, by id. Throws when messages of one row did not come in that order. */
  drained(consumer: string): Promise<ReplayedMessage[]>;
  close(): Promise<void>;
}

export interface ReplayedMessage {
  action: string;
  record: Record<string, unknown>;
  changes: Record<string, unknown> | null;
  metadata: {
    commit_lsn: number;
    commit_idx: number;
    commit_timestamp: string;
    idempotency_key: string;
    record_pks: string[];
    table_name: string;
    transaction_annotations: unknown;
  };
}

const OVER = ['done', 'failed', 'cancelled'];

/** Fresh databases, declared by `world.yaml` and `more`. `pageRows`: entries of a page. */
export async function replayWorld(
  schema: string,
  more: (world: World) => string,
  on: { pageRows?: number; capture?: boolean } = {},
): Promise<ReplayWorld> {
  const world = await createWorld(schema);
  const settings = settingsOf(world, world.yaml + more(world));
  await migrate(settings);
  const log = createLog({ level: process.env.TEST_LOG ? 'debug' : 'silent', role: 'test' });
  const worker = await workerParts(settings, { log, signal: new AbortController().signal });
  const db = openPool({ ...(await messageDatabase(settings, 'capture')), max: 2 });
  const load = () => loadCatalog(db, keyRing(settings));
  const page = { rows: on.pageRows ?? 5 };
  const captures = openCaptures({
    messages: db,
    load,
    log,
    onPersisted: (sinks) => void db.query('select pg_notify($1, $2)', ['millrace_messages', [...sinks].join(',')]),
    beside: openBackfills({ messages: db, log, load, lookMs: 20, page }),
  });
  const services: Service[] = [...(on.capture === false ? [] : [captures]), ...worker.services];
  const supervisor = supervise(services, { log, backoff: () => 100 });
  const over = new AbortController();
  const running = supervisor.run(over.signal);
  if (on.capture !== false) await streaming(world);
  const status = async (id: string): Promise<BackfillStatus> =>
    (await backfillsOf(world.messages)).find((one) => one.id === id)!;
  return {
    ...world,
    settings,
    status,
    async replay(args) {
      return (await world.messages.query<{ id: string }>(`select millrace.replay(${args}) as id`)).rows[0]!.id;
    },
    async ended(id, deadlineMs) {
      let now: BackfillStatus | undefined;
      const isOver = async (): Promise<boolean> => {
        now = await status(id);
        return OVER.includes(now.state);
      };
      await until('the replay has ended', isOver, deadlineMs).catch((error: unknown) => {
        throw new Error(`${String(error)} ${JSON.stringify(now)}`);
      });
      return now!;
    },
    async drained(consumer) {
      const taken: ReplayedMessage[] = [];
      for (;;) {
        const sql = 'select ack_id, message from millrace.receive($1::text, 1000)';
        const { rows } = await world.messages.query<{ ack_id: string; message: ReplayedMessage }>(sql, [consumer]);
        if (rows.length === 0) return ordered(taken);
        await world.messages.query('select millrace.ack($1::text, $2::text[])', [
          consumer,
          rows.map(({ ack_id: id }) => id),
        ]);
        taken.push(...rows.map(({ message }) => message));
      }
    },
    async close() {
      over.abort();
      await running;
      await worker.close();
      await db.close();
      await world.drop();
    },
  };
}

function ordered(taken: readonly ReplayedMessage[]): ReplayedMessage[] {
  const newest = new Map<string, number>();
  for (const { record, changes, metadata } of taken) {
    const id = Number(metadata.idempotency_key);
    for (const row of [record, { ...record, ...changes }]) {
      const key = JSON.stringify([row.id, row.at]);
      if ((newest.get(key) ?? 0) > id) throw new Error(`${key} came out of order`);
      newest.set(key, id);
    }
  }
  return taken.toSorted((a, b) => Number(a.metadata.idempotency_key) - Number(b.metadata.idempotency_key));
}

/** What is written before is not captured. */
export async function streaming(world: World): Promise<void> {
  await until('capture streams', async () => {
    const sql = "select state = 'streaming' as yes from millrace.database_status where database_name = 'shop'";
    return (await world.messages.query<{ yes: boolean }>(sql)).rows[0]?.yes;
  });
}

export function settingsOf(world: World, yaml: string): Settings {
  return withDatabase(
    readSettings({
      DATABASE_URL: world.messagesUrl,
      SECRET_KEY,
      LOG_LEVEL: 'silent',
      CONFIG_FILE_YAML: Buffer.from(yaml).toString('base64'),
    }),
  );
}
