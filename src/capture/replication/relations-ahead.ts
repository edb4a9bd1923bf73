/**
 * Tables that are announced by messages that still wait: they are loaded together with the one that is announced now, for after
 * its start a stream meets every table of the source, and stands still while one is loaded.
 */
import type { Transcode } from '../../codec/encoding.ts';
import type { RelationMessage } from '../../codec/row-message.ts';
import type { LoadedRelation } from '../../routing/relation.ts';
import type { UntilSeen } from '../../source/visibility.ts';
import { decode } from './decode.ts';
import type { KnownRelations } from './known-relations.ts';
import type { MessageQueue } from './message-queue.ts';

/** Loaded at once. */
const MOST = 200;
const BEGIN = 0x42;
const RELATION = 0x52;

export interface RelationsAheadDeps {
  /** As they are now. All differ. */
  loadRelations(messages: readonly RelationMessage[]): Promise<LoadedRelation[]>;
  untilSeen: UntilSeen;
}

/** The session whose tables they are. */
export interface Announcing {
  queue: Pick<MessageQueue, 'hold' | 'waitingMessages'>;
  relations: Pick<KnownRelations, 'get' | 'know'>;
  /** As for `decode`. */
  transcode: Transcode | undefined;
}

interface Announced {
  bytes: Buffer;
  message: RelationMessage;
}

export class RelationsAhead {
  readonly #deps: RelationsAheadDeps;
  readonly #session: Announcing;
  /** By the message as it waits. */
  readonly #loaded = new Map<Buffer, LoadedRelation>();

  constructor(deps: RelationsAheadDeps, session: Announcing) {
    this.#deps = deps;
    this.#session = session;
  }

  /** Loaded, and not known yet. */
  get relations(): Iterable<LoadedRelation> {
    return this.#loaded.values();
  }

  /** It is the turn of this message: its table is known before the next one is handled, as it is when the transaction `xid` is there. */
  hear(message: RelationMessage, bytes: Buffer, xid: number | undefined): void {
    const { queue, relations } = this.#session;
    const loaded = this.#loaded.get(bytes);
    this.#loaded.delete(bytes);
    if (loaded !== undefined) relations.know(loaded);
    else queue.hold(async () => relations.know(await this.#load(message, xid)));
  }

  /** They are to be loaded anew. */
  clear(): void {
    this.#loaded.clear();
  }

  /** And those that are announced next. */
  async #load(message: RelationMessage, xid: number | undefined): Promise<LoadedRelation> {
    const isSeen = xid === undefined ? () => false : await this.#deps.untilSeen([xid]);
    const next = this.#next(message.oid, isSeen);
    const [first, ...others] = await this.#deps.loadRelations([message, ...next.map((one) => one.message)]);
    for (const [i, { bytes }] of next.entries()) this.#loaded.set(bytes, others[i]!);
    return first!;
  }

  /** The first message of each table that comes for the first time, up to the first transaction that is not seen. */
  #next(oid: number, isSeen: (xid: number) => boolean): Announced[] {
    const { queue, relations, transcode } = this.#session;
    const found: Announced[] = [];
    const passed = new Set([oid]);
    for (const bytes of queue.waitingMessages()) {
      const tag = bytes[0];
      if (tag !== BEGIN && tag !== RELATION) continue;
      const message = decode(bytes, transcode);
      if (message.tag === 'begin' && !isSeen(message.xid)) break;
      if (message.tag !== 'relation' || passed.has(message.oid)) continue;
      passed.add(message.oid);
      // Of one that was announced before, a change may wait before the message that announces it anew.
      if (relations.get(message.oid) || this.#loaded.has(bytes)) continue;
      found.push({ bytes, message });
      if (found.length === MOST) break;
    }
    return found;
  }
}
