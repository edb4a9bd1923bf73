/**
 * Rows whose keys a transaction has passed on (routing/passed-keys.ts) are read again when it is committed. They count as
 * changes that come last: what was persisted of them is not read once more.
 */
import type { RowMessage } from '../../codec/row-message.ts';
import { PassedKeys } from '../../routing/passed-keys.ts';
import type { OpenTransaction } from '../../routing/pending.ts';
import type { LoadedRelation } from '../../routing/relation.ts';
import { addReadAgain } from '../../routing/write-change.ts';
import type { KnownRelations } from './known-relations.ts';
import type { MessageQueue } from './message-queue.ts';
import type { Outbox } from './outbox.ts';

export interface PassedOnDeps {
  /** More keys of the table were passed on than can be followed: its indexes must be told. */
  onPassedOn(relation: LoadedRelation): Promise<void>;
}

interface Session {
  relations: KnownRelations;
  outbox: Outbox;
  queue: MessageQueue;
  maxRowBytes: number;
}

export class PassedOn {
  readonly #deps: PassedOnDeps;
  readonly #session: Session;

  constructor(deps: PassedOnDeps, session: Session) {
    this.#deps = deps;
    this.#session = session;
  }

  /** The next change of the transaction. */
  note(transaction: OpenTransaction, relation: LoadedRelation, message: RowMessage): void {
    if (!relation.isKeyDeferrable) return;
    transaction.passed ??= new PassedKeys();
    transaction.passed.changed(relation, message);
  }

  /** The transaction's commit is handled once it is told which tables could not be followed: whoever dies before tells it again. */
  atCommit(transaction: OpenTransaction | undefined, commit: () => void): void {
    const { relations, queue } = this.#session;
    const lost = [...(transaction?.passed?.lost ?? [])].flatMap((oid) => relations.get(oid) ?? []);
    if (lost.length === 0) return void commit();
    queue.hold(async () => {
      for (const relation of lost) await this.#deps.onPassedOn(relation);
      commit();
    });
  }

  /** Adds what the transaction comes to besides; its last change was `idx`. The last of now. */
  committed(transaction: OpenTransaction | undefined, idx: number): number {
    if (!transaction?.passed) return idx;
    const { relations, outbox, maxRowBytes } = this.#session;
    let commitIdx = idx;
    for (const { oid, key } of transaction.passed.keys) {
      commitIdx += 1;
      const relation = relations.get(oid);
      if (!relation || outbox.progress.wasPersisted(transaction.commitLsn, commitIdx)) continue;
      addReadAgain(outbox.pending, { relation, key, transaction, commitIdx, maxRowBytes });
    }
    outbox.schedule();
    return commitIdx;
  }
}
