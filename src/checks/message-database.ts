/** The message database, as a server: is it of this release, does it keep what it is given, has it room? */
import type { MillraceError } from '../model/errors.ts';
import { quoteIdentifier } from '../model/quote.ts';
import { UTF8_DATABASE } from '../model/remedies.ts';
import { byCommand, byHand, type Finding, fault, inMessages, passed, warning } from './finding.ts';

/** As the statement gives it. */
export interface MessageServerFacts {
  version: number;
  version_name: string;
  fsync: boolean;
  full_page_writes: boolean;
  encoding: string;
  max_connections: number;
  /** Our role there, and whether it may make what this release needs. */
  role: string;
  database: string;
  may_create: boolean;
  /** Connections of Millrace there, by what they call themselves. */
  ours: { application: string; connections: number }[];
  /** Milliseconds since 1970, by its clock. */
  clock_ms: number;
  /** Backends, and prepared transactions, whose snapshot is older than any of ours should be. */
  old_snapshots: { pid: number | null; gid: string | null; seconds: number; application: string | null }[];
}

export interface MessageDatabaseFacts {
  server: MessageServerFacts;
  /** Connections that could still be opened there. */
  room: number;
  /** Why this release cannot work with its schema. */
  schema: MillraceError | undefined;
  /** Milliseconds since 1970, by the clock of this machine. */
  nowMs: number;
}

/** Below this a release that migrates, or a role that restarts, finds no place. */
const ROOM = 3;
const CLOCK_MS = 30_000;

export function checkMessageDatabase({ server, room, schema, nowMs }: MessageDatabaseFacts): Finding[] {
  const found: Finding[] = [];
  if (server.version < 140000)
    found.push(fault('too_old', 'the message database is older than Postgres 14', byHand('Upgrade its server.')));
  if (server.encoding !== 'UTF8')
    found.push(
      fault(
        'encoding',
        `the encoding of the message database is ${server.encoding}, not UTF8: a row that it cannot hold is parked without its values, or stops capture`,
        byHand(UTF8_DATABASE),
      ),
    );
  if (schema)
    found.push(
      fault(
        'schema_behind',
        schema.message,
        schema.remedy ? byHand(schema.remedy) : byCommand(['migrate'], (command) => `Run \`${command}\`.`),
      ),
    );
  if (!server.may_create) found.push(mayNotCreate(server));
  if (!server.fsync) found.push(notDurable('fsync'));
  if (!server.full_page_writes) found.push(notDurable('full_page_writes'));
  if (room < ROOM)
    found.push(
      warning(
        'connections_short',
        `the message database has room for ${Math.max(0, room)} more connections, of ${server.max_connections}${usedBy(server)}`,
        inMessages(
          `alter system set max_connections = ${server.max_connections + 50}`,
          'then restart the server; or end other sessions, or raise the connection limit of the role',
        ),
      ),
    );
  const offMs = Math.abs(server.clock_ms - nowMs);
  if (offMs > CLOCK_MS)
    found.push(
      warning(
        'clock_apart',
        `the clock of the message database and that of this machine are ${Math.round(offMs / 1_000)} s apart`,
        byHand('Let a time service (chrony, systemd-timesyncd) set both clocks.'),
      ),
    );
  found.push(...server.old_snapshots.map(oldSnapshot));
  return found.length > 0
    ? found
    : [passed('message_database', `Postgres ${server.version_name}, schema of this release`)];
}

const mayNotCreate = ({ role, database }: MessageServerFacts): Finding =>
  fault(
    'may_not_create',
    `role ${role} may not create in the message database: neither a new release nor a new sink finds its place`,
    inMessages(
      `grant create on database ${quoteIdentifier(database)} to ${quoteIdentifier(role)}`,
      'as its owner; schemas millrace, millrace_private and millrace_jobs belong to the role that migrates',
    ),
  );

const usedBy = ({ ours }: MessageServerFacts): string =>
  ours.length === 0
    ? ''
    : `; of them Millrace has ${ours.map(({ application, connections }) => `${connections} (${application})`).join(', ')}`;

const notDurable = (setting: string): Finding => ({
  ...warning(
    'commit_not_durable',
    `${setting} is off in the message database: a crash of its machine loses messages that were confirmed to the source`,
    inMessages(`alter system set ${setting} = on; select pg_reload_conf()`),
  ),
  item: setting,
});

/** Whoever keeps a snapshot open keeps dead rows in our tables, and every reader crawls over them. */
function oldSnapshot({ pid, gid, seconds, application }: MessageServerFacts['old_snapshots'][number]): Finding {
  const age = `has been open for ${Math.floor(seconds / 60)} minutes in the message database: dead rows pile up meanwhile`;
  const found =
    gid === null
      ? warning(
          'long_snapshot',
          `a transaction of backend ${pid}${application ? ` (${application})` : ''} ${age}`,
          inMessages(`select pg_terminate_backend(${pid})`, 'if it is not wanted any more'),
        )
      : warning('long_snapshot', `prepared transaction ${gid} ${age}`, byHand('Commit it, or roll it back.'));
  return { ...found, item: gid ?? `backend ${pid}` };
}
