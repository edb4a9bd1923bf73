/** Gives the sinks that are there the traits of this release: SQL asks those that are stored. */
import type { Database } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { KINDS } from '../../sinks/kinds.ts';
import { changeCatalog } from './transaction.ts';

const PUT = statement('catalog/put-traits');
const PUBLISH = statement('catalog/publish');

/** Publishes the catalog when something differed. @throws MillraceError unavailable when locks could not be had. */
export async function storeTraits(db: Database): Promise<void> {
  const traits = JSON.stringify(KINDS.map((kind) => ({ type: kind.type, ...kind.traits })));
  await changeCatalog(db, async (tx) => {
    const { rowCount } = await tx.query(PUT, [traits]);
    if (rowCount > 0) await tx.query(PUBLISH);
  });
}
