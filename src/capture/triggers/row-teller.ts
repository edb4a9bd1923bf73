/** Tells the changes of a transaction as messages: what their tables were like first, then each in its turn. */
import { JsonBytes } from '../../codec/json-bytes.ts';
import type { Connection } from '../../db/pool.ts';
import { type ChangeRow, ChunkBytes } from '../../source/noted-rows.ts';
import { readAgain, readGoingOn, readInverted, readShapes, type Shape } from '../../source/read-changes.ts';
import { inOrder, keepSome, Waiting } from './in-order.ts';
import { PLAN } from './plan.ts';
import { type Layout, layoutOf, logicalMessage, rowMessage, truncateMessage } from './wire.ts';

export interface Missing {
  /** Something was not noted in a transaction that wrote to this table. */
  onSwitchedOff(rel: number): Promise<void>;
  /** A change of this table could not be read. */
  onUnreadable(rel: number): Promise<void>;
}

export interface RowTellerDeps extends Missing {
  tell(bytes: Buffer): Promise<void>;
}

/** The table that stores the row, as it is then: a shape is of one table. */
const storeOf = ({ shape, rel }: ChangeRow): string => (shape === null ? `table ${rel}` : `${shape}`);

/** Of the texts of changes that wait for one in a later chunk: a statement may change any number of rows, and each may wait. */
const KEPT_BYTES = 16 * 1024 * 1024;
/** Of changes that are read again at once. */
const AGAIN_ROWS = 500;
const AGAIN_BYTES = 64 * 1024;

export class RowTeller {
  readonly #deps: RowTellerDeps;
  /** Are stored generated columns sent now? */
  readonly #generated: () => boolean;
  readonly #shapes = new Map<bigint, Shape>();
  /** By table: the shape that was first seen of it, and the mark of the relation that was sent last. */
  readonly #first = new Map<number, Shape>();
  readonly #sent = new Map<number, string>();
  readonly #layouts = new Map<string, Layout>();
  /** Of the message that is told. */
  readonly #out = new JsonBytes();
  readonly #waiting = new Waiting<ChangeRow>(storeOf, keepSome(KEPT_BYTES));
  readonly #again = new ChunkBytes(AGAIN_BYTES);
  #client: Connection | undefined;
  /** Transactions of this plan of which it is known what is noted before its time. */
  readonly #asked = new Set<bigint>();

  constructor(deps: RowTellerDeps, generated: () => boolean) {
    this.#deps = deps;
    this.#generated = generated;
  }

  /** A plan begins. */
  begin(): void {
    this.#asked.clear();
  }

  /** Reads what must be known to tell these; `isWhole`: their transactions do not go on behind them. */
  async learn(client: Connection, chunk: readonly ChangeRow[], { isWhole }: { isWhole: boolean }): Promise<void> {
    this.#client = client;
    await this.#learnShapes(client, chunk);
    if (!isWhole) await this.#learnInverted(client, chunk);
  }

  /** Of one transaction; where it `isRepeated`, what was missed is not said again. */
  async tell(rows: readonly ChangeRow[], { isRepeated }: { isRepeated: boolean }): Promise<void> {
    const told = inOrder(rows, storeOf).flatMap((row) => this.#waiting.turn(row));
    let again: ChangeRow[] = [];
    for (const [n, row] of told.entries()) {
      if (row.isLeft && again.length === 0) again = await this.#readAgain(told, n);
      await this.#tellRow(row.isLeft ? again.shift()! : row, isRepeated);
    }
  }

  /** The next ones of these, from this place on, that left their texts in the source; at least the first. */
  async #readAgain(told: readonly ChangeRow[], from: number): Promise<ChangeRow[]> {
    if (!this.#client) throw new Error('nothing was learnt of these changes');
    const next: bigint[] = [];
    for (let place = from; place < told.length && next.length < AGAIN_ROWS; place += 1) {
      if (told[place]!.isLeft) next.push(told[place]!.seq);
    }
    const rows = await readAgain({ client: this.#client, bytes: this.#again }, next);
    if (rows.length === 0 || rows.some(({ seq }, n) => seq !== next[n]))
      throw new Error('a change that triggers have noted is gone before it was told');
    return rows;
  }

  async #tellRow(row: ChangeRow, isRepeated: boolean): Promise<void> {
    switch (row.op) {
      case 'M':
        // A plan is ours to tell.
        if (row.old && row.new && row.old.toString() !== PLAN) await this.#deps.tell(logicalMessage(row.old, row.new));
        return;
      case 'X':
        if (!isRepeated) await this.#deps.onSwitchedOff(row.rel);
        return;
      case 'T': {
        // Partitions are looked at one by one (partition-notices.ts).
        if (row.new !== null) return;
        if (this.#sent.has(row.rel) || (await this.#tellRelation(row))) await this.#deps.tell(truncateMessage(row.rel));
        return;
      }
      default: {
        const layout = await this.#tellRelation(row);
        this.#out.clear();
        const message = layout && rowMessage(this.#out, row, layout);
        if (message) await this.#deps.tell(message);
        else if (!isRepeated) await this.#deps.onUnreadable(row.rel);
      }
    }
  }

  /** Tells what the table is like, unless that was said last. */
  async #tellRelation(row: ChangeRow): Promise<Layout | undefined> {
    const shape = this.#shapeOf(row);
    if (!shape) return undefined;
    const generated = this.#generated();
    const name = `${row.rel} ${row.shape} ${generated}`;
    let layout = this.#layouts.get(name);
    if (!layout) {
      layout = layoutOf(row.rel, shape, { first: this.#first.get(row.rel), generated });
      this.#layouts.set(name, layout);
      if (!this.#first.has(row.rel)) this.#first.set(row.rel, shape);
    }
    if (this.#sent.get(row.rel) !== layout.mark) {
      this.#sent.set(row.rel, layout.mark);
      await this.#deps.tell(layout.relation);
    }
    return layout;
  }

  /** Whoever writes could have given his changes the number of another table's. */
  #shapeOf({ shape, rel }: ChangeRow): Shape | undefined {
    const known = shape === null ? undefined : this.#shapes.get(shape);
    return known?.rel === rel ? known : undefined;
  }

  /** What is noted in this chunk before its time, by transactions that go on behind it. */
  async #learnInverted(client: Connection, chunk: readonly ChangeRow[]): Promise<void> {
    const unasked = [...new Set(chunk.map(({ xid }) => xid))].filter((xid) => !this.#asked.has(xid));
    for (const xid of await readGoingOn(client, unasked, chunk.at(-1)!.seq)) {
      this.#asked.add(xid);
      this.#waiting.learn(await readInverted(client, xid));
    }
  }

  async #learnShapes(client: Connection, rows: readonly ChangeRow[]): Promise<void> {
    const unknown = new Set(rows.flatMap(({ shape }) => (shape === null || this.#shapes.has(shape) ? [] : [shape])));
    if (unknown.size === 0) return;
    for (const [no, shape] of await readShapes(client, [...unknown])) this.#shapes.set(no, shape);
  }
}
