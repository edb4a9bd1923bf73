/** The list of sinks, and how each kind is opened. */
import type { Catalog, CatalogSink } from '../catalog/store.ts';
import { lostConnection } from '../db/message-database.ts';
import { type Database, openPool, type PoolOptions } from '../db/pool.ts';
import { refuseSharedSessions } from '../db/pooler.ts';
import { optionsOf } from '../db/tls.ts';
import { DestinationDown } from '../deliver/refused.ts';
import type { OpenSink } from '../deliver/targets.ts';
import { MillraceError } from '../model/errors.ts';
import type { Sink } from '../model/sink.ts';
import type { Log } from '../runtime/log.ts';
import { openChangeTable } from './change-table/sink.ts';
import { circuitText, judge } from './change-table/verdict.ts';
import { openShapedConsumer } from './pull/sink.ts';
import { openSearchSink } from './search-index/sink.ts';

const SHORT_MS = 2_000;

/** Every kind of sink that is delivered to: adding one is a folder under sinks/ and a line here. */
export function sinkKinds(db: Database, log: Log): Record<CatalogSink['kind'], OpenSink> {
  return {
    search_index: async ({ settings: { destination }, secret, reach }) => {
      if (destination.type !== 'elasticsearch') throw wrongKind(destination.type);
      return openSearchSink({ log }, { destination, authValue: secret(), reach });
    },
    change_table: async ({ id, databaseNo, settings: { destination } }, catalog) => {
      if (destination.type !== 'change_table') throw wrongKind(destination.type);
      const source = catalog.databases.find((one) => one.no === databaseNo)!;
      const wanted = { name: destination.database, use: 'change table' };
      const options = await declaredOptions(catalog, wanted).catch((error: unknown) => {
        const verdict = judge(error);
        throw verdict?.kind === 'circuit' ? new DestinationDown(verdict.circuit, error) : error;
      });
      // Where that server has no connection to spare, this one is kept. Who waits for it may hold one of the message database.
      const pool = openPool({ ...options, least: 1, fullMs: SHORT_MS, onError: lostConnection(log) });
      const sink = await openChangeTable(
        {
          log,
          destination: pool,
          messages: db,
          beside: (database) => openDeclared(catalog, { name: destination.database, use: 'retention', database }, log),
        },
        { retentionId: id, sourceDatabaseId: source.id, destination },
      );
      const place = `The address of database ${destination.database}`;
      // The role asked there when it started: the two connections that it takes again would go beyond the role's own.
      const asking = leadsThere(options, db) ? sink : askingFirst(sink, () => refuseSharedSessions(options, place));
      return closingWith(asking, () => pool.close());
    },
    pull: async ({ no, settings }) => openShapedConsumer({ sinkNo: no, transformed: settings.transform !== null }),
  };
}

/** One connection to a database of the catalog, or to another `database` of its server. */
export async function openDeclared(
  catalog: Catalog,
  wanted: { name: string; use: string; database?: string },
  log: Log,
): Promise<Database> {
  return openPool({ ...(await declaredOptions(catalog, wanted)), onError: lostConnection(log) });
}

async function declaredOptions(
  catalog: Catalog,
  wanted: { name: string; use: string; database?: string },
): Promise<PoolOptions> {
  const declared = catalog.databases.find((one) => one.settings.name === wanted.name);
  if (!declared) throw new MillraceError('bad_destination', `database ${wanted.name} is not declared`);
  const address = { ...declared.address(), ...(wanted.database === undefined ? {} : { database: wanted.database }) };
  return await optionsOf({ ...declared, address }, { max: 1, applicationName: `millrace ${wanted.use}` });
}

const wrongKind = (type: string): MillraceError => new MillraceError('internal', `no such destination: ${type}`);

/** Does the address read as that of the message database does? */
function leadsThere({ address }: PoolOptions, { pool }: Database): boolean {
  if (typeof address === 'string') return false;
  return (['host', 'port', 'database', 'user'] as const).every((part) => address[part] === pool.options[part]);
}

/** The sink itself: what `ask` throws about its settings is said whenever it is tested; the rest its own test says better. */
function askingFirst(sink: Sink, ask: () => Promise<void>): Sink {
  const test = sink.test.bind(sink);
  sink.test = async (signal) => {
    const fault = await ask().catch((error: unknown) => error);
    if (!(fault instanceof MillraceError)) return await test(signal);
    const error = circuitText([{ message: fault.message, remedy: fault.remedy ?? '' }]);
    return { reason: 'bad_destination', error };
  };
  return sink;
}

/** The sink itself, so that what it learns later is seen, with more to close. */
function closingWith(sink: Sink, more: () => Promise<void>): Sink {
  const close = sink.close.bind(sink);
  sink.close = async () => {
    await close();
    await more();
  };
  return sink;
}
