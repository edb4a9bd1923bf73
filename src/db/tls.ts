/**
 * TLS towards a database, from the setting (model/database-address.ts reads it). Only `prefer` is open: it asks for TLS,
 * verifies nothing, and does without where the server has none and is on this machine or in a private network.
 */
import type { DatabaseAddress, DatabaseSettings } from '../model/declared.ts';
import type { Reach } from '../runtime/checked-lookup.ts';
import type { Security } from './connection.ts';
import { endConnection } from './drop-connection.ts';
import { openClient, type PoolOptions } from './pool.ts';

/**
 * Connection options of a declared database. With `prefer` it connects once to find out; throws what that says. `reach`:
 * null for an address that may lead anywhere.
 */
export async function optionsOf(
  declared: { address: DatabaseAddress; settings: Pick<DatabaseSettings, 'ssl'>; reach?: Reach | null },
  options: Omit<PoolOptions, 'address' | keyof Security>,
): Promise<PoolOptions> {
  const { address, reach = { allowed: 'declared' } } = declared;
  const base: PoolOptions = { ...options, address, ...(reach === null ? {} : { reach }) };
  // As in libpq: nobody listens in on a Unix socket, and no server speaks TLS there.
  if (address.host.startsWith('/')) return { ...base, ssl: false, plain: 'anywhere' };
  const { ssl } = declared.settings;
  if (ssl === 'prefer') return await preferTls(base);
  if (ssl === false) return { ...base, ssl: false, plain: 'anywhere' };
  if (ssl === true) return { ...base, ssl: { rejectUnauthorized: true }, plain: 'never' };
  return { ...base, ssl: verifying(ssl), plain: 'never', channelBinding: ssl.channel_binding ?? false };
}

function verifying({ ca, verify }: Exclude<DatabaseSettings['ssl'], boolean | 'prefer'>): NonNullable<Security['ssl']> {
  return {
    rejectUnauthorized: verify !== false,
    ...(ca === null ? {} : { ca }),
    ...(verify === 'ca' ? { checkServerIdentity: () => undefined } : {}),
  };
}

async function preferTls(options: PoolOptions): Promise<PoolOptions> {
  try {
    return await reached({ ...options, ssl: { rejectUnauthorized: false }, plain: 'local' });
  } catch (error) {
    if (error instanceof Error && /does not support SSL/.test(error.message))
      return await reached({ ...options, ssl: false, plain: 'local' });
    throw error;
  }
}

/** The options as they are, after a connection with them. Throws what it says when there is none. */
export async function reached(options: PoolOptions): Promise<PoolOptions> {
  const client = await openClient(options);
  await endConnection(client);
  return options;
}
