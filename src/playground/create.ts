/**
 * Fills the playground database with a small shop, once: schema and rows come in one transaction, so that a kill in the
 * middle leaves an empty database, which the next start fills.
 */
import { readFile } from 'node:fs/promises';
import type { Database } from '../db/pool.ts';

const folder = new URL('../../sql/playground/', import.meta.url);

/** True when it was made now, false when it was there. */
export async function createPlayground(db: Database): Promise<boolean> {
  const texts = await Promise.all(['schema.sql', 'seed.sql'].map((file) => readFile(new URL(file, folder), 'utf8')));
  return await db.transaction(async (tx) => {
    const { rows } = await tx.query<{ there: boolean }>("select to_regclass('public.orders') is not null as there");
    if (rows[0]?.there === true) return false;
    for (const text of texts) await tx.query(text);
    return true;
  });
}
