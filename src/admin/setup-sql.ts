/**
 * What an administrator runs in a source so that it can be captured: a role with the least rights, a publication of the tables
 * whose updates it cannot break, and the slot. Every name is quoted; it connects to nobody, and holds no password.
 */
import { slotCreation } from '../checks/slot.ts';
import type { CaptureWay, DatabaseSettings } from '../model/declared.ts';
import { openEnded, quoteIdentifier, quoteLiteral } from '../model/quote.ts';

export interface SetupRequest {
  /** Of the server: 17; null: nobody knows. */
  version: number | null;
  /** As its server calls it. */
  database: string;
  role: string;
  slot: DatabaseSettings['slot'];
  publication: DatabaseSettings['publication'];
  /** Whose tables are published. */
  schemas: readonly string[];
  /** Absent: by replication. */
  capture?: CaptureWay | undefined;
}

export interface SetupSql {
  version: number | null;
  /** One by one: a slot is not made in a transaction that has written. */
  statements: string[];
  /** All of them, for psql, with what is to be known of them. */
  sql: string;
}

interface Part {
  remarks: string[];
  statements: string[];
}

export function setupSql(request: SetupRequest): SetupSql {
  const byTriggers = request.capture === 'triggers';
  const parts = [
    rolePart(request),
    publicationPart(request),
    ...(byTriggers ? [triggersPart(request)] : [slotPart(request)]),
  ];
  const text = ({ remarks, statements }: Part): string =>
    [...remarks.map((line) => `-- ${oneLine(line)}`), ...statements.map((sql) => `${sql};`)].join('\n');
  const head = [
    `As an administrator, in database ${request.database} of the source.`,
    byTriggers
      ? 'Its changes are noted by triggers: it needs no wal_level and nobody who may replicate.'
      : "wal_level must be logical: alter system set wal_level = 'logical', then restart the server.",
  ];
  return {
    version: request.version,
    statements: parts.flatMap(({ statements }) => statements),
    sql: `${[text({ remarks: head, statements: [] }), ...parts.map(text)].join('\n\n')}\n`,
  };
}

/** A name may have a line break in it, which would end the remark. */
const oneLine = (text: string): string => text.replaceAll(/[\r\n]+/g, ' ');

function rolePart({ role, database, schemas, capture }: SetupRequest): Part {
  const name = quoteIdentifier(role);
  const byTriggers = capture === 'triggers';
  return {
    remarks: byTriggers
      ? ['A role that reads the tables below, and makes schema millrace_capture. Give it a password of your own.']
      : [
          'A role that may replicate, and reads the tables below. Give it a password of your own.',
          `On Amazon RDS and Aurora leave out "replication", and run: grant rds_replication to ${name};`,
        ],
    statements: [
      `create role ${name} login ${byTriggers ? '' : 'replication '}password '...'`,
      `grant connect${byTriggers ? ', create' : ''} on database ${quoteIdentifier(database)} to ${name}`,
      ...schemas.map((schema) => `grant usage on schema ${quoteIdentifier(schema)} to ${name}`),
    ],
  };
}

function publicationPart({ publication, role, schemas, version, capture }: SetupRequest): Part {
  const byTriggers = capture === 'triggers';
  const { name, init_sql: initSql } = publication;
  if (initSql !== null) {
    const grants = schemas.map(
      (schema) => `grant select on all tables in schema ${quoteIdentifier(schema)} to ${quoteIdentifier(role)}`,
    );
    return { remarks: ['The publication, as it is declared.'], statements: [openEnded(initSql), ...grants] };
  }
  const listed = [
    'The publication, which is the list of the captured tables, and publishes no updates that could fail.',
    'Tables that are made later: alter publication ... add table ..., and grant select.',
  ];
  const remarks = [
    'The publication: all tables with a replica identity. One without would make its own updates fail: add a primary key, or',
    'alter table ... replica identity full. Tables that are made later: alter publication ... add table ..., and grant select.',
  ];
  return {
    remarks: byTriggers ? listed : remarks,
    statements: [publicationBlock({ name, role, schemas, version, byTriggers })],
  };
}

/** Those whose updates a publication cannot break. */
const IDENTIFIED = `
    having bool_and(c.relkind = 'p' or c.relreplident = 'f' and not exists (
             select from pg_attribute a where a.attrelid = c.oid and a.attgenerated = 'v') or exists (
             select from pg_index i
              where i.indrelid = c.oid and i.indisunique and i.indisvalid and i.indimmediate and i.indpred is null
                and case c.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident end))`;

/** The condition is that of `isPublishable` (checks/table.ts), as far as a statement can say it for people to read. */
function publicationBlock(of: {
  name: string;
  role: string;
  schemas: readonly string[];
  version: number | null;
  byTriggers: boolean;
}): string {
  const { name, role, schemas, version, byTriggers } = of;
  // Without them updates of a table with generated columns and replica identity full would fail.
  const generated =
    version === null
      ? `
  if current_setting('server_version_num')::integer >= 180000 then
    alter publication ${quoteIdentifier(name)} set (publish_generated_columns = stored);
  end if;`
      : '';
  const options = `${byTriggers ? "publish = 'insert', " : ''}publish_via_partition_root = true${(version ?? 0) >= 18 ? ', publish_generated_columns = stored' : ''}`;
  const body = `
declare
  v_table record;
begin
  create publication ${quoteIdentifier(name)} with (${options});${generated}
  for v_table in
    with recursive tree (root, oid) as (
      select c.oid, c.oid from pg_class c
       where c.relkind in ('r', 'p') and c.relpersistence = 'p' and not c.relispartition
         and c.relnamespace::regnamespace::text in (${schemas.map((schema) => `quote_ident(${quoteLiteral(schema)})`).join(', ')})
      union all
      select t.root, i.inhrelid from tree t join pg_inherits i on i.inhparent = t.oid join pg_class c on c.oid = i.inhrelid
       where c.relispartition
    )
    select t.root::regclass as name from tree t join pg_class c on c.oid = t.oid
     group by t.root${byTriggers ? '' : IDENTIFIED}
     order by t.root::regclass::text
  loop
    execute format('alter publication %I add table only %s', ${quoteLiteral(name)}, v_table.name);
    execute format('grant select on %s to %I', v_table.name, ${quoteLiteral(role)});
  end loop;
end `;
  return `do ${dollarQuoted(body)}`;
}

/** With a tag that the text does not have. */
function dollarQuoted(text: string): string {
  let tag = '$setup$';
  for (let n = 1; text.includes(tag); n += 1) tag = `$setup${n}$`;
  return `${tag}${text}${tag}`;
}

/** Whoever owns a table makes its triggers; a role that does is spared that. */
function triggersPart({ role }: SetupRequest): Part {
  return {
    remarks: [
      `The triggers: Millrace makes those of tables that role ${role} owns. For the others its checks print what their owner runs,`,
      'once schema millrace_capture is there: bin/millrace doctor --sql. No slot is needed.',
    ],
    statements: [],
  };
}

function slotPart({ slot, version }: SetupRequest): Part {
  const made = slotCreation(slot.name, (version ?? 0) * 10_000);
  if (slot.create_if_not_exists)
    return {
      remarks: [`The slot ${slot.name} is made by Millrace when the first sink reads from the database.`],
      statements: [],
    };
  return {
    remarks: [
      'The slot, alone: not in one transaction with the above. It keeps WAL from now on, until Millrace reads it.',
      ...(version === null ? ['From Postgres 17 on add: , failover => true'] : []),
    ],
    statements: [made],
  };
}
