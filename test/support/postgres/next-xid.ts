/** Which transaction id a server gives next, as if it had given all those before. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { giveTo, runAs, serverAccount } from '../../../src/db/embedded/account.ts';

const RESETWAL = '/usr/lib/postgresql/15/bin/pg_resetwal';
/** Transactions whose ends are kept in one file of pg_xact, two bits each. */
const FILE_XIDS = 1_048_576;
/** Ids that can be told from each other, with room to spare. */
const STEP = 1_500_000_000n;

/** Ids to give next, one after the other: before each but the first, all rows must be frozen. */
export function stepsTo(xid: bigint): bigint[] {
  const steps: bigint[] = [];
  for (let at = STEP; at < xid; at += STEP) steps.push(at);
  return [...steps, xid];
}

/** Of a server of 15 that was stopped in order; `data`: its folder. */
export async function setNextXid(data: string, xid: bigint): Promise<void> {
  const account = await serverAccount();
  const low = Number(xid & 0xffff_ffffn);
  const name = Math.floor(low / FILE_XIDS)
    .toString(16)
    .toUpperCase();
  const file = path.join(data, 'pg_xact', name.padStart(4, '0'));
  await writeFile(file, Buffer.alloc(FILE_XIDS / 4), { flag: 'a', mode: 0o600 });
  await giveTo(account, file);
  const args = ['-x', String(low), '-e', String(xid >> 32n), '-D', data];
  const ran = await runAs(account, { file: RESETWAL, args });
  if (ran.code !== 0) throw new Error(ran.output);
}

/** Every row of every database is older than any id. `adminUrl`: as a superuser. */
export async function freezeAll(adminUrl: string): Promise<void> {
  const inDatabase = async (name: string, sql: string): Promise<string[]> => {
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      const { rows } = await client.query<{ datname: string }>(sql);
      return rows.map(({ datname }) => datname);
    } finally {
      await client.end();
    }
  };
  await inDatabase('postgres', 'alter database template0 allow_connections true');
  for (const name of await inDatabase('postgres', 'select datname from pg_database'))
    await inDatabase(name, 'vacuum (freeze)');
  await inDatabase('postgres', 'alter database template0 allow_connections false');
}
