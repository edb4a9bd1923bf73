/**
 * Keys that rows of one transaction pass on. Where a primary key is deferrable, a row may take a key before the row that had
 * it gives it up: an index gets the new row's document first, and then the delete that the former row's change comes to. Whose
 * document is left in the end does not show in the changes, so such rows are read again when the transaction is committed.
 */
import type { RowMessage } from '../codec/row-message.ts';
import { groupKey } from './group.ts';
import type { LoadedRelation } from './relation.ts';

export interface PassedKey {
  oid: number;
  key: readonly string[];
}

/** Keys that were taken, which are remembered until the commit. */
export const MOST_TAKEN = 100_000;

export class PassedKeys {
  /** Of hashes: one that two keys share costs a row that is read for nothing. */
  readonly #taken = new Set<number>();
  readonly #passed = new Map<number, PassedKey>();
  readonly #lost = new Set<number>();

  /** Given up after they were taken, and not taken since. */
  get keys(): Iterable<PassedKey> {
    return this.#passed.values();
  }

  /** Tables of which some may be missing, for too many keys were taken. */
  get lost(): Iterable<number> {
    return this.#lost;
  }

  /** The next change of the transaction, of a table with a deferrable key. */
  changed({ oid, codec }: Pick<LoadedRelation, 'oid' | 'codec'>, message: RowMessage): void {
    const key = codec.key(message);
    const givenUp = message.tag === 'delete' ? key : codec.oldKey(message);
    if (givenUp) this.#giveUp({ oid, key: givenUp });
    if (key && (message.tag === 'insert' || (message.tag === 'update' && givenUp))) this.#take(groupKey(oid, key));
  }

  #giveUp(key: PassedKey): void {
    const hash = groupKey(key.oid, key.key);
    if (this.#taken.has(hash)) this.#passed.set(hash, key);
    else if (this.#taken.size >= MOST_TAKEN) this.#lost.add(key.oid);
  }

  #take(hash: number): void {
    if (this.#taken.size < MOST_TAKEN) this.#taken.add(hash);
    this.#passed.delete(hash);
  }
}
