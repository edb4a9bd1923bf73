/** What is needed of a stored database to print its set-up: of its server the version, where that can be reached at all. */
import { MillraceError } from '../model/errors.ts';
import { readVersion } from '../source/server-version.ts';
import { askSource, findDatabase, type OutsideDeps } from './outside.ts';
import type { SetupRequest } from './setup-sql.ts';

/** `version`: as somebody says it is. @throws MillraceError not_found */
export async function readSetup(on: OutsideDeps, ref: string, version?: number | undefined): Promise<SetupRequest> {
  const { catalog, database } = await findDatabase(on, ref);
  const { slot, publication, capture } = database.settings;
  const { user, database: name } = database.address();
  const wanted = catalog.sinks
    .filter(({ databaseNo }) => databaseNo === database.no)
    .flatMap(({ settings: { source } }) => [
      ...(source.include_schemas ?? []),
      ...(source.include_tables ?? []).flatMap((table) => (table.includes('.') ? [table.split('.')[0]!] : [])),
    ]);
  const schemas = [...new Set(['public', ...wanted])];
  const known = version ?? (await versionOf(database));
  return { version: known, database: name, role: user, slot, publication, schemas, capture };
}

/** That it cannot be reached is why somebody asks for what sets it up. */
async function versionOf(database: Parameters<typeof askSource>[0]): Promise<number | null> {
  try {
    return await askSource(database, async (source) => Math.floor((await readVersion(source)) / 10_000));
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'source_unavailable') return null;
    throw error;
  }
}
