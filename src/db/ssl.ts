/**
 * TLS towards a database. `prefer` asks for it and does without where the server has none, as libpq does; it verifies
 * nothing. `true` verifies by the system's certificates, an object by its own.
 */
import type { DatabaseAddress, DatabaseSettings } from '../model/declared.ts';
import { openClient, type PoolOptions } from './pool.ts';

/** Connection options of a declared database. With `prefer` it connects once to find out; throws what that says. */
export async function optionsOf(
  declared: { address: DatabaseAddress; settings: Pick<DatabaseSettings, 'ssl'> },
  options: Omit<PoolOptions, 'address' | 'ssl'>,
): Promise<PoolOptions> {
  const { ssl } = declared.settings;
  const base = { ...options, address: declared.address };
  if (ssl === 'prefer') return await preferTls(base);
  if (typeof ssl === 'boolean') return { ...base, ssl: ssl && { rejectUnauthorized: true } };
  return { ...base, ssl: { rejectUnauthorized: ssl.verify, ...(ssl.ca === null ? {} : { ca: ssl.ca }) } };
}

/** The options with TLS where the server speaks it, else without. Connects once; throws what that says. */
export async function preferTls(options: PoolOptions): Promise<PoolOptions> {
  try {
    return await reached({ ...options, ssl: { rejectUnauthorized: false } });
  } catch (error) {
    if (error instanceof Error && /does not support SSL/.test(error.message))
      return await reached({ ...options, ssl: false });
    throw error;
  }
}

/** The options as they are, after a connection with them. Throws what it says when there is none. */
export async function reached(options: PoolOptions): Promise<PoolOptions> {
  const client = await openClient(options);
  await client.end().catch(() => undefined);
  return options;
}
