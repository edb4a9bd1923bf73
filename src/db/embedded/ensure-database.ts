/**
 * A database of the embedded server, and the role that owns it: no superuser, for the service needs none. Only this file
 * works as the superuser: somebody must make roles and databases.
 */
import pg from 'pg';
import { openClient } from '../pool.ts';
import { unreleased } from '../schema-version.ts';

export interface OwnedDatabase {
  /** Of the database, and of its owner. */
  name: string;
  password: string;
  /** It is a source: its owner streams its changes. */
  replication?: boolean;
  /** Another role, without a login, that the owner gives rights to. */
  reader?: string;
}

/**
 * The address of the database, as its owner. Its locale is the server's. @throws MillraceError for a database that no
 * release has made; else what Postgres says.
 */
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
    // Before the first release it was the superuser's.
    if (found.held === false) throw unreleased();
    const may = `login nosuperuser ${wanted.replication ? 'replication' : 'noreplication'}`;
    await admin.query(`${found.role ? 'alter' : 'create'} role ${owner} ${may} password ${pg.escapeLiteral(password)}`);
    if (wanted.reader && !found.reader) await admin.query(`create role ${pg.escapeIdentifier(wanted.reader)} nologin`);
    if (found.held === null) await admin.query(`create database ${owner} owner ${owner}`);
    await admin.query(`revoke connect, temporary on database ${owner} from public`);
  } finally {
    await admin.end();
  }
  const url = new URL(addressOf(adminUrl, name));
  url.username = encodeURIComponent(name);
  url.password = encodeURIComponent(password);
  return url.href;
}

const asSuperuser = (address: string): Promise<pg.Client> =>
  openClient({ address, ssl: false, max: 1, applicationName: 'millrace start' });

function addressOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${encodeURIComponent(database)}`;
  return url.href;
}
