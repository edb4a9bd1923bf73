/** Takes a database out of the catalog, with its position. Its slot is somebody else's to drop, before. */
import type { Transacting } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { recordChange } from '../audit.ts';
import { type ChangeOptions, changeCatalog } from './transaction.ts';

const REMOVE = statement('catalog/remove-database');
const PUBLISH = statement('catalog/publish');

/** False when a sink reads from it or writes into it, or it is not there. @throws MillraceError unavailable. */
export async function removeDatabase(
  db: Pick<Transacting, 'transaction'>,
  name: string,
  options: ChangeOptions = {},
): Promise<boolean> {
  return await changeCatalog(
    db,
    async (tx) => {
      const { rowCount } = await tx.query(REMOVE, [name]);
      await tx.query(PUBLISH);
      if (rowCount > 0) await recordChange(tx, { action: 'delete', subject: `database ${name}`, before: { name } });
      return rowCount > 0;
    },
    options,
  );
}
