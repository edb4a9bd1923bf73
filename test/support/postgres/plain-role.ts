/**
 * A role with the least rights that docs/settings.md asks for, and no other. Who tests as a superuser never learns which
 * rights the service needs: with MILLRACE_TEST_RIGHTS=plain everything that a test captures, backfills, verifies and retains
 * is reached as such a role; with MILLRACE_TEST_MAJOR=15 on the machine's Postgres 15.
 */
import pg from 'pg';
import { quoteLiteral } from '../../../src/model/quote.ts';
import type { TestDatabase } from './postgres.ts';

export const AS_PLAIN = process.env.MILLRACE_TEST_RIGHTS === 'plain';

const PASSWORD = 'plain-password';

/** The name of the role that `asPlainSource` and `asPlainDestination` make for a database. */
export const plainRoleOf = (database: Pick<TestDatabase, 'name'>): string => `plain_${database.name}`;

/**
 * The database's address as a role that may capture it: it may replicate, publish, make change tables in schema public, and
 * owns every table made from now on.
 */
export async function asPlainSource(database: Pick<TestDatabase, 'name' | 'url'>): Promise<string> {
  const role = plainRoleOf(database);
  await make(database, 'login replication', [
    `grant create on database ${database.name} to ${role}`,
    `grant usage, create on schema public to ${role}`,
    ...giving(role),
  ]);
  return as(database.url, role);
}

/** A test makes its tables as the superuser, at any time: they go to the role at once, with the use of what they live in. */
const giving = (role: string): string[] => [
  `create schema test_rights`,
  `create function test_rights.give() returns event_trigger language plpgsql set search_path = pg_catalog as $$
   declare made record;
   begin
     for made in select * from pg_catalog.pg_event_trigger_ddl_commands() loop
       if made.object_type = 'table' and made.schema_name is distinct from 'pg_temp' then
         execute pg_catalog.format('alter table %s owner to ${role}', made.object_identity);
       elsif made.object_type = 'schema' then
         execute pg_catalog.format('grant usage, create on schema %s to ${role}', made.object_identity);
       end if;
     end loop;
   end $$`,
  `create event trigger give on ddl_command_end
     when tag in ('CREATE TABLE', 'CREATE TABLE AS', 'SELECT INTO', 'CREATE SCHEMA') execute function test_rights.give()`,
];

/** The database's address as a role that may make change tables in schema public and write to its own. */
export async function asPlainDestination(database: Pick<TestDatabase, 'name' | 'url'>): Promise<string> {
  const role = plainRoleOf(database);
  await make(database, 'login', [`grant usage, create on schema public to ${role}`, ...giving(role)]);
  return as(database.url, role);
}

/** The database's address as a role that owns it and is nothing else: of a message database. */
export async function asPlainOwner(database: Pick<TestDatabase, 'name' | 'url'>): Promise<string> {
  const role = 'plain_owner';
  await make({ ...database, name: 'owner' }, 'login', []);
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await admin.query(`alter database ${database.name} owner to ${role}`).finally(() => admin.end());
  return as(database.url, role);
}

/** In SQL, for a test that knows its database only when it is made. */
export const toPlainRole = (statement: string): string =>
  `do $$ begin execute format(${quoteLiteral(`${statement} %I`)}, 'plain_' || current_database()); end $$`;

/** The role alone, where a dump brings what is its. */
export async function makePlainRole(database: Pick<TestDatabase, 'name' | 'url'>): Promise<void> {
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  await makeRole(admin, plainRoleOf(database), 'login replication').finally(() => admin.end());
}

async function makeRole(admin: pg.Client, role: string, attributes: string): Promise<void> {
  const known = await admin.query('select from pg_catalog.pg_roles where rolname = $1', [role]);
  if (known.rowCount === 0) await admin.query(`create role ${role} ${attributes} password '${PASSWORD}'`);
}

/** Once for each database, however often it is asked for. */
async function make(database: Pick<TestDatabase, 'name' | 'url'>, attributes: string, rights: string[]): Promise<void> {
  const admin = new pg.Client({ connectionString: database.url });
  await admin.connect();
  try {
    await makeRole(admin, plainRoleOf(database), attributes);
    // A role outlives a database that is dropped and made again.
    const given = await admin.query("select from pg_catalog.pg_event_trigger where evtname = 'give'");
    if (given.rowCount === 0) for (const sql of rights) await admin.query(sql);
  } finally {
    await admin.end();
  }
}

function as(url: string, role: string): string {
  const address = new URL(url);
  address.username = role;
  address.password = PASSWORD;
  return address.href;
}
