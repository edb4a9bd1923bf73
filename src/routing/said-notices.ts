/**
 * What is said on the sinks about the columns of the tables of one stream, one table after the other. A table may be loaded anew while
 * what the catalog of now makes of it is said again: then only the load that began last speaks.
 */
import type { Database } from '../db/pool.ts';
import { isDeadlock, isForeignKeyViolation } from '../model/sqlstate.ts';
import type { SinkNotice } from '../notices/notice.ts';
import { replaceNotices } from '../notices/replace.ts';

/** A table as one load of it found it. */
export interface Spoken {
  oid: number;
  schema: string;
  name: string;
  /** Its number among the loads of the stream; 0: it was loaded beside that, which comes to its own view of the table. */
  load: number;
}

/** Is it a notice for a sink that is not there any more, or one that met another change of the catalog? */
export const isOvertaken = (error: unknown): boolean => isForeignKeyViolation(error) || isDeadlock(error);

/** False: it was overtaken. */
export async function isDone(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!isOvertaken(error)) throw error;
    return false;
  }
}

export class SaidNotices {
  #loads = 0;
  /** By the table's oid: its last load, and what was said last. */
  readonly #last = new Map<number, number>();
  readonly #said = new Map<number, string>();
  #turn: Promise<void> = Promise.resolve();

  /** The number of a load that begins. */
  begin(): number {
    this.#loads += 1;
    return this.#loads;
  }

  /** `isNoted`: there may be notices from before, which are replaced. What is to be said is asked for when it is. */
  async say(
    db: { messages: Database; databaseNo: number },
    table: Spoken,
    { notices, isNoted }: { notices: () => readonly SinkNotice[]; isNoted: boolean },
  ): Promise<void> {
    const { oid, load } = table;
    if (load > 0) this.#last.set(oid, Math.max(load, this.#last.get(oid) ?? 0));
    const mine = this.#turn.then(async () => {
      if (load > 0 && load !== this.#last.get(oid)) return;
      const found = notices();
      const text = JSON.stringify(found);
      const said = this.#said.get(oid);
      if (said === text && !isNoted) return;
      // Nothing to say, and nothing was said.
      const isSilent = found.length === 0 && !isNoted && (said ?? '[]') === '[]';
      const look = { by: 'columns', databaseNo: db.databaseNo, table: `${table.schema}.${table.name}` } as const;
      const isSaid = isSilent || (await isDone(replaceNotices(db.messages, look, found)));
      // What was overtaken is said again as soon as the stream has the newer catalog.
      if (!isSaid) this.#said.delete(oid);
      else if (load > 0) this.#said.set(oid, text);
    });
    this.#turn = mine.catch(() => undefined);
    await mine;
  }
}
