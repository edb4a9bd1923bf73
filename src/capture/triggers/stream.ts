/**
 * Changes that triggers have noted, as a stream like that of a replication slot. One reader at a time. It looks again at once
 * while there is something, and less and less often while there is nothing.
 *
 * A plan (plan.ts) is told before its first change, within the same transaction of the stream.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { dropConnection, socketOf } from '../../db/drop-connection.ts';
import { type Connection, type Database, openPool, type PoolOptions } from '../../db/pool.ts';
import type { Plan } from '../../messages/plan.ts';
import { isLockTimeout } from '../../model/sqlstate.ts';
import { untilFlushed } from '../../source/flushed.ts';
import type { ChangeRow } from '../../source/noted-rows.ts';
import { type ChangesReader, type Look, readChunk, readNew, type Turn, takeTurn } from '../../source/read-changes.ts';
import type { ReplicationStream, StreamHandlers } from '../replication/connection.ts';
import { GIVING_WAY, givenWay, giveWay } from './give-way.ts';
import { byTransaction } from './in-order.ts';
import { PLAN, planText } from './plan.ts';
import { type Missing, RowTeller } from './row-teller.ts';
import { beginMessage, commitMessage, logicalMessage } from './wire.ts';

/** Milliseconds between two looks. */
const SOON_MS = 5;
const LATE_MS = 250;
const SLOWER = 1.5;
/** Whoever drops the schema has writers wait behind him: between two times of asking for that. It is also a sign of life. */
const WANTED_MS = 500;
/** Of one look: in its way may be millions of rows that nobody has committed. */
const LOOK_MS = 600_000;
/** For the answer to the question that is under way when it is closed: a server that is away gives none. */
const FAREWELL_MS = 1_000;

export interface TriggerHandlers extends StreamHandlers, Missing {
  /** Everything up to this plan's end is persisted. */
  onRead(plan: Plan): void;
}

export interface TriggerStreamOptions {
  source: PoolOptions;
  /** What was read last, and the highest LSN that was given out. Asked once, when the stream goes on for the first time. */
  begin(): Promise<{ plan: Plan; after: bigint }>;
  /** Take texts as they are stored. */
  raw: boolean;
  /** Are stored generated columns sent now? */
  generated(): boolean;
  /** For what is not asked in the reader's own transaction. */
  beside: Database;
  /** The stream is over when what this look has found is persisted. Absent: it goes on. */
  isLast?(look: Look): Promise<boolean>;
}

/** Somebody else reads the changes. */
export class ReaderThereError extends Error {
  /** What to do where it is no capture of ours. */
  readonly remedy: string;
  constructor({ pid, application }: ChangesReader = { pid: null, application: null }) {
    super(`what triggers note in this database is read by backend ${pid ?? '?'} (${application ?? 'unknown'}) already`);
    this.name = 'ReaderThereError';
    this.remedy = `Changes that triggers note have one reader: have this database captured by triggers in one entry of one service alone. If nobody needs that session, end it: select pg_terminate_backend(${pid ?? 'PID'}).`;
  }
}

/** Connects and waits until it is resumed. */
export function openTriggerStream(handlers: TriggerHandlers, options: TriggerStreamOptions): ReplicationStream {
  const over = new AbortController();
  const gate = new Gate();
  const started = Promise.withResolvers<void>();
  started.promise.catch(() => undefined);
  const { queryTimeoutMs: _, ...source } = options.source;
  const pool = openPool({ ...source, max: 1, queue: true, idleInTransactionMs: 0, statementTimeoutMs: LOOK_MS });
  const reader = new Reader(handlers, options, { gate, signal: over.signal });
  let connection: Connection | undefined;
  const reading = pool.session(async (client) => {
    connection = client;
    socketOf(client).on('data', () => handlers.onBytes?.());
    const turn = await begin(client, options.raw);
    started.resolve();
    await reader.run(turn).catch((error: unknown) => {
      throw givenWay(error);
    });
  });
  const ended = reading
    .catch((error: unknown) => {
      started.reject(error);
      if (!over.signal.aborted) throw error;
    })
    .finally(() => pool.close());
  ended.catch(() => undefined);
  return {
    started: Promise.race([started.promise, ended]),
    ended,
    confirm: (lsn) => reader.confirmed(lsn),
    pause: () => gate.close(),
    resume: () => gate.open(),
    async close() {
      over.abort();
      gate.open();
      const late = setTimeout(() => connection && dropConnection(connection), FAREWELL_MS);
      await ended.catch(() => undefined);
      clearTimeout(late);
    },
  };
}

/** @throws ReaderThereError */
async function begin(client: Connection, raw: boolean): Promise<Turn> {
  if (raw) await client.query("set client_encoding = 'SQL_ASCII'");
  await client.query(GIVING_WAY);
  return await takeTurn(client).catch((error: unknown) => {
    throw isLockTimeout(error) ? new ReaderThereError() : error;
  });
}

/** Closed until it is opened. */
class Gate {
  #opened = Promise.withResolvers<void>();
  #isOpen = false;

  get isOpen(): boolean {
    return this.#isOpen;
  }

  open(): void {
    this.#isOpen = true;
    this.#opened.resolve();
  }

  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#opened = Promise.withResolvers<void>();
  }

  /** Is it open, within so many milliseconds? */
  async passed(ms: number): Promise<boolean> {
    if (!this.#isOpen) await Promise.race([this.#opened.promise, sleep(ms, undefined, { ref: false })]);
    return this.#isOpen;
  }
}

/** A transaction whose end has not been told. */
interface Told {
  xid: bigint;
  lsn: bigint;
  micros: number;
  /** It was persisted before, and what is to be said of it was said. */
  isRepeated: boolean;
}

class Reader {
  readonly #handlers: TriggerHandlers;
  readonly #options: TriggerStreamOptions;
  readonly #gate: Gate;
  readonly #signal: AbortSignal;
  readonly #rows: RowTeller;
  /** The highest LSN that was given out; and when this reader began. */
  #lsn = 0n;
  #after = 0n;
  #client: Connection | undefined;
  /** When it was asked whether somebody waits for the turn. */
  #askedAt = 0;
  /** Plans that are not wholly persisted, and where they end. */
  #open: { plan: Plan; end: bigint }[] = [];

  constructor(
    handlers: TriggerHandlers,
    options: TriggerStreamOptions,
    { gate, signal }: { gate: Gate; signal: AbortSignal },
  ) {
    this.#handlers = handlers;
    this.#options = options;
    this.#gate = gate;
    this.#signal = signal;
    this.#rows = new RowTeller({ ...handlers, tell: (bytes) => this.#tell(bytes) }, options.generated);
  }

  confirmed(lsn: bigint): void {
    const done = this.#open.filter(({ end }) => end < lsn);
    this.#open = this.#open.filter(({ end }) => end >= lsn);
    const last = done.at(-1);
    if (last) this.#handlers.onRead(last.plan);
  }

  async run(turn: Turn): Promise<void> {
    this.#client = turn.client;
    await this.#mayGoOn();
    const { plan, after } = await this.#options.begin();
    this.#lsn = after;
    this.#after = after;
    let last = plan;
    if (last.from !== last.to) last = await this.#tellPlan(turn, last, { rows: undefined, isStored: true });
    let waitMs = SOON_MS;
    /** Of the look before: everything that was committed by then is told after this look. */
    let seen = 0n;
    /** What the look before saw, though it may have found nothing to be told. */
    let from = last.to;
    for (let isLast = false; !this.#signal.aborted && !isLast; ) {
      await this.#mayGoOn();
      const look = await readNew(turn, from);
      isLast = (await this.#options.isLast?.(look)) ?? false;
      const next = { no: last.no + 1, from, to: look.snapshot };
      from = look.snapshot;
      const count = look.rows?.length;
      if ((count !== 0 || isLast) && !look.isFlushed) await untilFlushed(turn.client, look.lsn, this.#options.beside);
      if (count === 0) {
        this.#handlers.onKeepAlive(seen, false);
        if (seen > this.#lsn) this.#lsn = seen;
        seen = look.lsn;
        if (isLast) break;
        await sleep(waitMs, undefined, { signal: this.#signal }).catch(() => undefined);
        waitMs = Math.min(LATE_MS, waitMs * SLOWER);
        continue;
      }
      const most = BigInt(count ?? 0);
      const firstLsn = look.lsn - most > this.#lsn ? look.lsn - most : this.#lsn + 1n;
      last = await this.#tellPlan(turn, { ...next, firstLsn }, { rows: look.rows, isStored: false });
      seen = look.lsn;
      waitMs = SOON_MS;
    }
    while (this.#open.length > 0 && !this.#signal.aborted) {
      await this.#mayGoOn();
      await sleep(SOON_MS, undefined, { signal: this.#signal }).catch(() => undefined);
    }
  }

  /**
   * `rows`: all of it; undefined: it is read in chunks. Where a transaction goes on in a further chunk it has a further LSN, so what is
   * left of a plan when some of it was emptied cannot be told again: behind chunks an empty plan says that all was read. Returns
   * the plan that was told last.
   */
  async #tellPlan(
    turn: Turn,
    plan: Plan,
    { rows, isStored }: { rows: ChangeRow[] | undefined; isStored: boolean },
  ): Promise<Plan> {
    const told = { lsn: plan.firstLsn, content: isStored ? undefined : logicalMessage(PLAN, planText(plan)) };
    this.#rows.begin();
    /** The transaction that is told, for it may go on in the next chunk. */
    let open: Told | undefined;
    let chunk = rows ?? (await readChunk(turn, plan, 0n));
    while (chunk.length > 0 && !this.#signal.aborted) {
      await this.#rows.learn(turn.client, chunk, { isWhole: rows !== undefined });
      const rest = chunk.findIndex(({ xid }) => xid !== open?.xid);
      if (open) await this.#rows.tell(rest < 0 ? chunk : chunk.slice(0, rest), open);
      if (rest >= 0) {
        for (const transaction of byTransaction(chunk.slice(rest))) {
          if (open) await this.#tell(commitMessage(open.lsn, open.micros));
          const micros = Math.max(...transaction.map(({ madeAt }) => madeAt));
          open = { xid: transaction[0]!.xid, lsn: told.lsn, micros, isRepeated: isStored && told.lsn <= this.#after };
          told.lsn += 1n;
          await this.#tell(beginMessage(open.lsn, micros, open.xid));
          if (told.content) await this.#tell(told.content);
          told.content = undefined;
          await this.#rows.tell(transaction, open);
        }
      }
      if (!rows) await this.#mayGoOn();
      chunk = rows ? [] : await readChunk(turn, plan, chunk.at(-1)!.seq);
    }
    if (this.#signal.aborted) return plan;
    const end = rows || !open ? plan : { no: plan.no + 1, from: plan.to, to: plan.to, firstLsn: told.lsn };
    if (end !== plan) await this.#tell(logicalMessage(PLAN, planText(end)));
    if (open) await this.#tell(commitMessage(open.lsn, open.micros));
    if (told.lsn > this.#lsn) this.#lsn = told.lsn;
    this.#open.push({ plan, end: told.lsn - 1n });
    return end;
  }

  async #tell(bytes: Buffer): Promise<void> {
    if (!this.#gate.isOpen) await this.#mayGoOn();
    if (!this.#signal.aborted) this.#handlers.onMessage(bytes);
  }

  /** @throws MillraceError unavailable: whoever waits for the turn gets it. */
  async #mayGoOn(): Promise<void> {
    do {
      const now = performance.now();
      if (!this.#client || now - this.#askedAt < WANTED_MS) continue;
      this.#askedAt = now;
      await giveWay(this.#client);
    } while (!(await this.#gate.passed(WANTED_MS)));
  }
}
