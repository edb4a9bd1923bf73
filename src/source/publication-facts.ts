/** What the source says of a publication. */
import { OURS, type PublicationFacts } from '../checks/publication.ts';
import type { Database } from '../db/pool.ts';
import { statement } from '../db/statement.ts';
import { schemasOf } from './tables.ts';

const FACTS = statement('source/publication-facts');

/** Undefined when it does not exist. */
export async function readPublication(
  source: Database,
  name: string,
  version: number,
): Promise<PublicationFacts | undefined> {
  const { rows } = await source.query<{
    oid: number;
    all_tables: boolean;
    publishes_ours: boolean;
    our_schemas: string[];
    our_tables: string[];
    complete: boolean;
    truncates: boolean;
    publishes_old: boolean;
    via_root: boolean;
    generated: string;
    mine: boolean;
    comment: string | null;
  }>(FACTS, [name, await schemasOf(source, name)]);
  const row = rows[0];
  return (
    row && {
      oid: row.oid,
      name,
      allTables: row.all_tables,
      publishesOurs: row.publishes_ours,
      ourSchemas: row.our_schemas,
      ourTables: row.our_tables,
      complete: row.complete,
      truncates: row.truncates,
      publishesOld: row.publishes_old,
      viaRoot: row.via_root,
      knowsGenerated: version >= 180000,
      generated: row.generated,
      ours: row.comment === OURS && row.mine && !row.all_tables,
    }
  );
}
