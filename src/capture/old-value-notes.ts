/**
 * Says on the sinks of a table that old values of its rows were too large for their messages: once for as long as a stream
 * lasts. A sink that holds the newest state of each row alone misses nothing.
 */
import type { Database } from '../db/pool.ts';
import { noteMissed } from '../notices/add.ts';
import type { LoadedRelation } from '../routing/relation.ts';

export function openOldValueNotes(messages: Database): (relations: Iterable<LoadedRelation>) => Promise<void> {
  const noted = new Set<string>();
  return async (relations) => {
    for (const { schema, name, routes } of relations) {
      const table = `${schema}.${name}`;
      const sinks = routes.filter(({ traits }) => !traits.replaces).map(({ sinkNo }) => sinkNo);
      const fresh = sinks.filter((sinkNo) => !noted.has(`${sinkNo} ${table}`));
      if (fresh.length === 0) continue;
      const message = `${table}: old values of rows were larger than max_row_bytes and are left out of messages: of them there is the key alone`;
      await noteMissed(messages, fresh, { code: 'values_left_out', table, message });
      for (const sinkNo of fresh) noted.add(`${sinkNo} ${table}`);
    }
  };
}
