/**
 * Pages of rows that join the stream of changes (the watermark method of Netflix' DBLog, https://arxiv.org/abs/2010.12597).
 * Whoever reads a page opens a window on its table, reads, and commits a logical message, the high watermark. From the
 * opening on capture notes the keys that change; when the watermark comes by it takes the page in at that place, without the
 * rows whose change it has seen since. So an image is never followed by an older one:
 *
 * - a change that the stream brings after the opening and before the watermark: its row is left out of the page;
 * - one that came before the opening was committed before the page was read, and is in the page. But a commit is in the
 *   WAL a moment before others see it (for long, where it waits for a synchronous standby): a page whose snapshot still
 *   takes such a transaction for open is not used (`misses`);
 * - one that comes again, for a session before has persisted it, leaves no row out: of a sink that was made since, the page
 *   is all that tells of it. A page whose snapshot does not see it is read again (`repeated`);
 * - one that comes after the watermark follows the page.
 *
 * Windows live and die with one replication session, in its process; the page's reader hears what became of it.
 */
import type { DeclaredAction } from '../model/declared.ts';
import { markOf, type OpenTransaction, type Pending, type Placed, rewind } from '../routing/pending.ts';
import { isMissed, type Snapshot } from '../source/visibility.ts';

/** Transactional logical messages of this prefix are watermarks; their content is the window's token. */
export const WATERMARK = 'millrace:page';

/** More changed keys than this, and the page is read again later. */
const MAX_CHANGED = 200_000;
/** Transactions that are remembered after they passed. */
const REMEMBERED = 16_384;

/** Where a page joins the stream. */
export interface PagePlace {
  transaction: OpenTransaction;
  /** Of the page's first message. */
  commitIdx: number;
  maxRowBytes: number;
  /** Has the stream brought a newer change of this row? */
  hasChanged(keyOf: () => readonly string[]): boolean;
}

export interface Page {
  /**
   * Adds its messages to what is persisted next. The count; undefined when it must be read again (nothing is added then).
   * What it throws is its reader's to hear: the stream takes back what was added, and goes on.
   */
  put(pending: Pending, place: PagePlace): number | undefined;
  /** SQL that is run in the transaction that persists them, given that count. */
  progress(put: number): string;
}

/** What became of a page: it is in the message table, or it must be read again. */
export type PageResult = 'persisted' | 'again';

export interface Window {
  readonly token: string;
  /** The page, before its watermark is committed, and the snapshot that it was read in. */
  fill(page: Page, snapshot: Snapshot): void;
  /** Does a snapshot not see a transaction of which something came before the window was opened? */
  misses(snapshot: Snapshot): boolean;
  /** May it not see a transaction that came in the session before? */
  mayMiss(snapshot: Snapshot): boolean;
  /** Forgets it; for a page that was not read. */
  close(): void;
  /** Rejects when the session ends first, and with what the page threw. */
  readonly result: Promise<PageResult>;
}

/** The session is over, and every page of it that is not persisted; whoever read it begins again beside the next one. */
export class StreamEndedError extends Error {
  constructor(cause: unknown) {
    super('the replication stream has ended', { cause });
    this.name = 'StreamEndedError';
  }
}

export interface WindowInput {
  oid: number | undefined;
  actions: ReadonlySet<DeclaredAction>;
  /** Does the catalog still make of the rows what whoever read them believes? Absent: it does. */
  isCurrent?: () => boolean;
}

interface Opened extends WindowInput {
  changed: Set<string>;
  /** Transactions whose changes of the table came again. */
  repeated: Set<number>;
  /** Truncated, or too much changed. */
  lost: boolean;
  page: Page | undefined;
  snapshot: Snapshot | undefined;
  decide: PromiseWithResolvers<PageResult>;
}

const SEPARATOR = '\u0000';

export class Windows {
  readonly #open = new Map<string, Opened>();
  /** Their pages are on their way into the message table. */
  readonly #placed = new Set<Opened>();
  readonly #byTable = new Map<number, Set<Opened>>();
  readonly #passed = new Uint32Array(REMEMBERED);
  #passedCount = 0;
  #first: number | undefined;
  #made = 0;
  readonly #name = crypto.randomUUID();
  #ended: StreamEndedError | undefined;

  /**
   * Opens a window: from now on changes of the table are noted, those of these actions only (what the sink does not get
   * supersedes nothing). `oid` undefined: for a page that no change supersedes.
   */
  open(input: WindowInput): Window {
    if (this.#ended) throw this.#ended;
    this.#made += 1;
    const token = `${this.#name}:${this.#made}`;
    const opened: Opened = {
      ...input,
      changed: new Set(),
      repeated: new Set(),
      lost: false,
      page: undefined,
      snapshot: undefined,
      decide: Promise.withResolvers<PageResult>(),
    };
    opened.decide.promise.catch(() => undefined);
    this.#open.set(token, opened);
    const { oid } = input;
    if (oid !== undefined) {
      const beside = this.#byTable.get(oid) ?? new Set();
      this.#byTable.set(oid, beside.add(opened));
    }
    const before = this.#passedCount;
    return {
      token,
      result: opened.decide.promise,
      fill: (page, snapshot) => {
        opened.page = page;
        opened.snapshot = snapshot;
      },
      misses: (snapshot) => {
        for (let n = Math.max(0, this.#passedCount - REMEMBERED); n < before; n++) {
          if (isMissed(snapshot, this.#passed[n % REMEMBERED]!)) return true;
        }
        return false;
      },
      mayMiss: ({ open }) => {
        const first = this.#first;
        return first !== undefined && [...open].some((xid) => ((xid - first) | 0) < 0);
      },
      close: () => {
        if (this.#take(token)) opened.decide.resolve('again');
      },
    };
  }

  /**
   * Where commits wait for a standby: a transaction id behind all those of which the session before may have had something.
   * Before any window is opened.
   */
  beginAt(xid: number): void {
    this.#first = xid;
  }

  /** The first of a transaction came: its changes are noted from here on, by the windows that are open now. */
  passed(xid: number): void {
    this.#passed[this.#passedCount % REMEMBERED] = xid;
    this.#passedCount += 1;
  }

  /** Does anybody read this table? Cheap, for every change. */
  watches(oid: number): boolean {
    return this.#byTable.size > 0 && this.#byTable.has(oid);
  }

  /** A row of it changed: the keys before and after; null where the change does not tell them. */
  changed(oid: number, action: DeclaredAction, keys: readonly (readonly string[] | null)[]): void {
    for (const opened of this.#byTable.get(oid) ?? []) {
      if (!opened.actions.has(action)) continue;
      for (const key of keys) {
        if (key === null || opened.changed.size >= MAX_CHANGED) opened.lost = true;
        else opened.changed.add(key.join(SEPARATOR));
      }
    }
  }

  /**
   * A change of it came that a session before has persisted. It supersedes nothing: a sink that was made since has nothing
   * of it but the row of the page. But a page that was read without it is older than what other sinks have.
   */
  repeated(oid: number, xid: number): void {
    for (const opened of this.#byTable.get(oid) ?? []) opened.repeated.add(xid);
  }

  /** It was truncated: whatever was read of it may be gone. */
  truncated(oid: number): void {
    for (const opened of this.#byTable.get(oid) ?? []) opened.lost = true;
  }

  /** The watermark came by: the page takes its place. Undefined: there is none, or it must be read again. */
  reached(token: string, pending: Pending, place: Omit<PagePlace, 'hasChanged'>): Placed | undefined {
    const opened = this.#take(token);
    if (!opened) return undefined;
    const { decide, page, changed, repeated, snapshot } = opened;
    const hasChanged: PagePlace['hasChanged'] = (keyOf) => changed.size > 0 && changed.has(keyOf().join(SEPARATOR));
    const isOld = snapshot !== undefined && [...repeated].some((xid) => isMissed(snapshot, xid));
    const isUseless = opened.lost || isOld || opened.isCurrent?.() === false;
    const mark = markOf(pending);
    let count: number | undefined;
    try {
      count = isUseless ? undefined : page?.put(pending, { ...place, hasChanged });
    } catch (error) {
      rewind(pending, mark);
      decide.reject(error);
      return undefined;
    }
    if (page === undefined || count === undefined) {
      decide.resolve('again');
      return undefined;
    }
    this.#placed.add(opened);
    const became = (result: PageResult): void => {
      this.#placed.delete(opened);
      decide.resolve(result);
    };
    return {
      count,
      sql: page.progress(count),
      persisted: () => became('persisted'),
      again: () => became('again'),
    };
  }

  /** The session is over: every reader hears it, and no window can be opened any more. */
  end(reason: unknown): void {
    this.#ended ??= new StreamEndedError(reason);
    for (const opened of [...this.#open.values(), ...this.#placed]) opened.decide.reject(this.#ended);
    this.#open.clear();
    this.#placed.clear();
    this.#byTable.clear();
  }

  #take(token: string): Opened | undefined {
    const opened = this.#open.get(token);
    if (!opened) return undefined;
    this.#open.delete(token);
    if (opened.oid !== undefined) {
      const beside = this.#byTable.get(opened.oid);
      beside?.delete(opened);
      if (beside?.size === 0) this.#byTable.delete(opened.oid);
    }
    return opened;
  }
}
