/**
 * A database of the embedded server, and the role that owns it: no superuser, for the service needs none. Only this file
 * works as the superuser: somebody must make roles and databases. What an earlier release made as the superuser is handed
 * over; the database itself comes last, so that a kill in between begins anew.
 */
import pg from 'pg';
import { openClient } from '../pool.ts';
import { statement } from '../statement.ts';

const HAND_OVER = statement('db/hand-over');

export interface OwnedDatabase {
  /** Of the database, and of its owner. */
  name: string;
  password: string;
  /** It is a source: its owner streams its changes. */
  replication?: boolean;
  /** Another role, without a login, that the owner gives rights to. */
  reader?: string;
}

/** The address of the database, as its owner. Its locale is the server's. Throws what Postgres says. */
export async function ensureDatabase(adminUrl: string, wanted: OwnedDatabase): Promise<string> {
  const { name, password } = wanted;
  const owner = pg.escapeIdentifier(name);
  const admin = await asSuperuser(adminUrl);
  try {
    const { rows } = await admin.query<{ role: boolean; reader: boolean; held: boolean | null }>(
      `select exists (select from pg_roles where rolname = $1) as role,
              exists (select from pg_roles where rolname = $2) as reader,
              (select r.rolname = $1 from pg_database d join pg_roles r on r.oid = d.datdba where d.datname = $1) as held`,
      [name, wanted.reader ?? ''],
    );
    const found = rows[0]!;
    const may = `login nosuperuser ${wanted.replication ? 'replication' : 'noreplication'}`;
    await admin.query(`${found.role ? 'alter' : 'create'} role ${owner} ${may} password ${pg.escapeLiteral(password)}`);
    if (wanted.reader && !found.reader) await admin.query(`create role ${pg.escapeIdentifier(wanted.reader)} nologin`);
    if (found.held === null) await admin.query(`create database ${owner} owner ${owner}`);
    else if (!found.held) await handOver(admin, { adminUrl, name });
    await admin.query(`revoke connect, temporary on database ${owner} from public`);
  } finally {
    await admin.end();
  }
  const url = new URL(addressOf(adminUrl, name));
  url.username = encodeURIComponent(name);
  url.password = encodeURIComponent(password);
  return url.href;
}

async function handOver(admin: pg.Client, { adminUrl, name }: { adminUrl: string; name: string }): Promise<void> {
  const owner = pg.escapeIdentifier(name);
  // The owner of a publication must have it.
  await admin.query(`grant create on database ${owner} to ${owner}`);
  const inside = await asSuperuser(addressOf(adminUrl, name));
  try {
    await inside.query("select set_config('millrace.owner', $1, false)", [name]);
    await inside.query(HAND_OVER.text);
  } finally {
    await inside.end();
  }
  await admin.query(`alter database ${owner} owner to ${owner}`);
}

const asSuperuser = (address: string): Promise<pg.Client> =>
  openClient({ address, ssl: false, max: 1, applicationName: 'millrace start' });

function addressOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${encodeURIComponent(database)}`;
  return url.href;
}
