/**
 * Types of the user's own may change, and no message tells so. A value that does not fit any more shows it, but not one whose attribute has
 * another name, or is another one's successor: of a table with composite types they are looked at once for all messages that wait.
 */
import type { LoadedRelation } from '../../routing/relation.ts';
import type { UntilSeen } from '../../source/visibility.ts';
import type { KnownRelations } from './known-relations.ts';
import type { MessageQueue } from './message-queue.ts';

export interface FreshTypesDeps {
  untilSeen: UntilSeen;
  /** As its types are now; itself when they have not changed. */
  renewTypes(relation: LoadedRelation): Promise<LoadedRelation>;
}

export class FreshTypes {
  readonly #deps: FreshTypesDeps;
  readonly #queue: Pick<MessageQueue, 'hold' | 'count'>;
  readonly #relations: KnownRelations;
  /** Messages are numbered as they are handled. */
  #place = 0;
  /** By the table's oid: its types are known for the messages up to this one. */
  #upTo = new Map<number, number>();

  constructor(deps: FreshTypesDeps, { queue, relations }: { queue: MessageQueue; relations: KnownRelations }) {
    this.#deps = deps;
    this.#queue = queue;
    this.#relations = relations;
  }

  handles(): void {
    this.#place += 1;
  }

  areKnown({ hasAttributes, oid }: LoadedRelation): boolean {
    return !hasAttributes || (this.#upTo.get(oid) ?? 0) >= this.#place;
  }

  /** Called in the handler of a change of transaction `xid`: the next message waits for `then`. */
  renew(relation: LoadedRelation, xid: number, then: (fresh: LoadedRelation) => void): void {
    this.#upTo.set(relation.oid, this.#place + this.#queue.count);
    this.#queue.hold(async () => {
      await this.#deps.untilSeen([xid]);
      const fresh = await this.#deps.renewTypes(relation);
      if (fresh !== relation) this.#relations.know(fresh);
      then(fresh);
    });
  }

  /** What was handled comes once more, to tables as they were there. */
  goBack(): void {
    this.#upTo.clear();
  }
}
