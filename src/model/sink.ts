/**
 * The one contract between delivery and a destination. A sink turns a batch into outcomes; it never touches the message
 * table, never retries by itself and never sleeps: when to try again, what to park and what to hold back is decided by
 * `deliver/`. Death between `send` and the settling of its outcomes repeats the batch, so `send` must be idempotent for
 * the same message ids (a sink with `within` is exempt: its writes commit together with the settling).
 */
import type { Action } from './message.ts';

/**
 * What the rest of Millrace asks of a sink instead of its kind. Stored with each sink (columns of `millrace_private.sinks`),
 * so that SQL asks the same, and a release that does not know the kind still persists its messages rightly.
 */
export interface SinkTraits {
  /** Clients lease and acknowledge its messages. Otherwise lanes deliver them. */
  receivable: boolean;
  /**
   * It keeps a document for each row, a JSON object, of which only the newest state counts: a later message replaces an
   * earlier one, a row that leaves the filters is deleted, and what was before a change says nothing to it.
   */
  replaces: boolean;
  /**
   * Which messages keep their order. `group`: those of a row, or of the columns that the user groups by; a change of the key
   * belongs to two groups. `key`: those of a row's key: a table without one is left out, a change of the key is two
   * messages. `commit`: all of them, in one lane.
   */
  order: 'group' | 'key' | 'commit';
  /** Rows that were read (backfill, replay, resync) are sent to it too, not changes alone. */
  takesRows: boolean;
  /** What it holds can be read back, and so compared with the tables, repaired and rebuilt. */
  readable: boolean;
}

/** One message on its way out, after the user's functions. Every JSON field is finished text: nothing parses it again. */
export interface Delivery {
  /** Message id: unique and increasing per source database, in commit order. The external version of a document. */
  id: number;
  action: Action;
  /** Primary-key values as text, in key order. Empty for a table without a key. */
  recordPks: readonly string[];
  tableOid: number;
  tableSchema: string;
  tableName: string;
  /** JSON text of the row (message `record`). */
  record: string;
  /** JSON text of the old values, or null. */
  changes: string | null;
  /** JSON text of the message's `metadata`. */
  metadata: string;
  /** ISO 8601 with microseconds, UTC. */
  committedAt: string;
  /** What to deliver: the transform's JSON text; without a transform the record. */
  body: string;
  /** The routing function's `index_name`, when there is one. */
  indexName: string | undefined;
  /** Hashes of table and key, or of the columns that it is grouped by. Deliveries that share one keep their order. */
  groups: readonly number[];
  /** Deliveries tried before this one. */
  attempts: number;
}

/** What a program reads of a destination's answer: an HTTP status, the destination's word for the kind of error. */
export interface AnswerFacts {
  status?: number;
  type?: string;
}

/** What became of one delivery. `error` is the destination's own answer, unchanged, at most 4,000 characters. */
export type Outcome =
  | { kind: 'done' }
  /** Temporary: back off and send again. */
  | { kind: 'retry'; error: string; retryAfterMs?: number; answer?: AnswerFacts }
  /** Permanent for this message: park it. */
  | { kind: 'park'; error: string; answer?: AnswerFacts }
  /** Not sent in this call (the service stops, or it took long enough): it is sent again as it was. */
  | { kind: 'untried' }
  /** Not sent, because an earlier delivery of its group is to be retried: it waits for that one. */
  | { kind: 'held' }
  /** Not tried and not at fault (its index is missing, say): comes again after `retryAfterMs`, no attempt counted. */
  | {
      kind: 'wait';
      error: string;
      retryAfterMs: number /** An index that was routed to is at fault: shown on the sink. */;
      isForIndex?: boolean;
    };

/** Why nothing can be delivered at all until somebody acts. Shown on the sink and on every message that waits for it. */
export interface Circuit {
  reason: 'unreachable' | 'auth_failed' | 'index_missing' | 'overloaded' | 'bad_destination';
  error: string;
  retryAfterMs?: number;
  /** It may be over at any moment: tried again after a second, then less and less often. */
  isPassing?: boolean;
  /** The destination says that it is gone for good: the sink is paused until somebody resumes it. */
  isGone?: boolean;
  /** We may not connect to its address. */
  isDenied?: boolean;
  answer?: AnswerFacts;
}

/** Of a destination to which there is no connection. */
export const noConnection = ({ error, isDenied }: { error: string; isDenied?: true }): Circuit => ({
  ...{ reason: 'unreachable', error },
  ...(isDenied ? { isDenied } : {}),
});

/**
 * `outcomes` has one entry per delivery, in the same order. With `circuit` set it may be empty: nothing is known of any of
 * them, and all wait.
 */
export interface SendResult {
  outcomes: Outcome[];
  circuit?: Circuit;
}

/** The settling transaction of the message database, as far as a destination in the same database may use it. */
export interface SinkTransaction {
  query<Row = Record<string, unknown>>(
    statement: { readonly name: string; readonly text: string } | string,
    values?: readonly unknown[],
  ): Promise<{ rows: Row[]; rowCount: number }>;
}

/** The next messages of a lane above its cursor, in the message table. */
export interface Above {
  sinkNo: number;
  lane: number;
  cursor: number;
}

/** All messages above the cursor up to `hi` were written, `count` of them. `more`: there may be others. */
export interface Taken {
  hi: number;
  count: number;
  more: boolean;
  /** When the first and the last of them were committed, milliseconds since 1970; absent: nobody asked. */
  committedMs?: { first: number; last: number };
}

/** A destination opened for one sink. Safe to close twice. */
export interface Sink {
  /** Deliveries per call, at most. */
  readonly batchSize: number;
  /** Sum of body bytes per call, at most. */
  readonly batchBytes: number;
  /**
   * Of a delivery it uses `id`, `action`, `recordPks`, `body` and `indexName` alone: without functions the others are then
   * not even read, and are empty.
   */
  readonly bodiesOnly?: boolean;
  send(batch: readonly Delivery[], signal: AbortSignal): Promise<SendResult>;
  /**
   * When present it is called instead of `send`, inside the transaction that also settles the batch: what it writes and
   * the deletion of the messages become visible together or not at all. When it throws, that transaction is rolled back,
   * and nothing is settled.
   */
  readonly within?: (tx: SinkTransaction, batch: readonly Delivery[]) => Promise<SendResult>;
  /**
   * When present it may be called instead of reading messages and calling `within`, in the same transaction, for a sink
   * without functions: it writes the next messages from where they lie, and they are not brought here at all. Undefined:
   * nothing was written, and they must be looked at one by one. When it throws, so too: that transaction is rolled back.
   */
  readonly take?: (tx: SinkTransaction, above: Above) => Promise<Taken | undefined>;
  /** Is the destination ready? The gate for creating and resuming, and the probe of an open circuit. */
  test(signal: AbortSignal): Promise<Circuit | undefined>;
  close(): Promise<void>;
}
