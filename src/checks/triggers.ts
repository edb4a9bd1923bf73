/**
 * Where changes are noted by triggers: is the schema that they are noted in what this release knows, has each captured table its
 * triggers, does somebody read what they note?
 */
import { duration } from '../model/quantity.ts';
import { type QuotedTable, quoteIdentifier, quoteTable } from '../model/quote.ts';
import { byCommand, byHand, byStarting, type Finding, fault, inSource, notice, warning } from './finding.ts';

/** What is in the source of ours (`src/source/triggers/for-checks.ts`). */
export interface TriggerFacts {
  /** Of schema millrace_capture; null: it is not there. */
  schemaVersion: number | null;
  /** What this release makes. */
  wantedVersion: number;
  /** Our role may make it, where it is not there. */
  mayMakeSchema: boolean;
  /** Whose it is, or something in it, where our role has not his rights, and the statements that give all of it to our role. */
  foreign: { owner: string; role: string; sql: string } | null;
  /** The statements that do, for whoever may. */
  schemaSql: string;
  /** Those that the publication lists, by oid. Of a partitioned table the root alone. */
  tables: ReadonlyMap<number, TriggeredTable>;
  /** Of what is noted: what was read goes as soon as a part of it is read whole. */
  notedBytes: number;
  /** Since the oldest change that was not read; null: there is none, or nobody knows. */
  oldestUnreadSeconds: number | null;
}

/** How the changes of a table are noted. */
export interface TriggeredTable {
  schema: string;
  name: string;
  /** All of them, on each partition. */
  hasTriggers: boolean;
  /** Of its triggers the one that notes least. */
  enabled: 'always' | 'origin' | 'replica' | 'disabled';
  /** The publication lists some of its columns, or some of its rows. */
  hasLists: boolean;
  /** Our role may make and enable them. */
  mayMake: boolean;
  /** The statements that bring its triggers in order, for whoever may. */
  sql: string;
  /** What the server said when it refused to make or to renew them, as an event trigger of the user's does. */
  refused?: string | undefined;
}

/** Where our notes are in a source. */
export const CAPTURE_SCHEMA = 'millrace_capture';

/** Where capture keeps up it is a fraction of that. */
const NOTED_BYTES = 2 * 1024 ** 3;
const UNREAD_SECONDS = 900;

/** `database`: as millrace.yaml names it. `isRead`: some sink reads from it. */
export function checkTriggers(facts: TriggerFacts, of: { database: string; isRead: boolean }): Finding[] {
  return [...checkSchema(facts), ...checkReading(facts, of)];
}

/** One that our role may make or renew is made when capture begins: nobody need be told. */
function checkSchema({ schemaVersion, wantedVersion, mayMakeSchema, foreign, schemaSql }: TriggerFacts): Finding[] {
  if (schemaVersion === null)
    return mayMakeSchema
      ? []
      : [
          fault(
            'capture_schema_missing',
            `schema ${CAPTURE_SCHEMA}, in which triggers note changes, does not exist, and our role may not make it`,
            inSource(schemaSql, 'as a superuser; or let our role make it: grant create on database ... to ...'),
          ),
        ];
  // Which release made it cannot be read.
  if (foreign) return [checkForeign(foreign)];
  if (schemaVersion <= wantedVersion) return [];
  return [
    fault(
      'capture_schema_newer',
      `schema ${CAPTURE_SCHEMA} was made by a newer release (${schemaVersion}, this one knows ${wantedVersion})`,
      byHand('Start that release, or a newer one.'),
    ),
  ];
}

/** A superuser's rights would be far more than our role needs: it gets the schema instead, which one service at a time reads. */
export const checkForeign = ({ owner, role, sql }: NonNullable<TriggerFacts['foreign']>): Finding =>
  fault(
    'capture_schema_foreign',
    `schema ${CAPTURE_SCHEMA}, or something in it, belongs to role ${owner}, and ${role} has not its rights`,
    inSource(sql, 'as a superuser'),
  );

function checkReading(facts: TriggerFacts, { database, isRead }: { database: string; isRead: boolean }): Finding[] {
  if (!isRead)
    return [...facts.tables.values()].some(({ hasTriggers }) => hasTriggers)
      ? [
          warning(
            'unread',
            'no sink reads from this database, and its triggers note changes for nobody',
            byCommand(['database', 'remove', database], (command) => `Add a sink, or: ${command}`),
          ),
        ]
      : [];
  const seconds = facts.oldestUnreadSeconds ?? 0;
  if (facts.notedBytes < NOTED_BYTES && seconds < UNREAD_SECONDS) return [];
  const since = seconds < UNREAD_SECONDS ? '' : `, and the oldest that was not read is of ${duration(seconds)} ago`;
  return [
    warning(
      'changes_growing',
      `the changes that triggers have noted in ${CAPTURE_SCHEMA} take ${Math.round(facts.notedBytes / 1_048_576)} MB of the source${since}`,
      byStarting('capture'),
    ),
  ];
}

/** What drops all of it, given the functions of its triggers. At once it would be a deadlock with whoever writes meanwhile, and maybe his end. */
export const captureDrops = (functions: readonly string[]): string[] => [
  ...functions.map((name) => `drop function if exists ${CAPTURE_SCHEMA}.${quoteIdentifier(name)}() cascade`),
  `drop schema if exists ${CAPTURE_SCHEMA} cascade`,
];

/** Somebody may refuse what removes it, as an event trigger of the user's on what alters tables does. */
export const checkUnremoved = (why: string, functions: readonly string[]): Finding =>
  warning(
    'capture_left',
    `triggers note changes for nobody, and cannot be removed: ${why}`,
    inSource(captureDrops(functions).join('; '), UNLESS_READ),
  );

const UNLESS_READ = 'unless another service captures this database by triggers';

/**
 * Of a database that is captured by replication: what is left of capture by triggers. `functions`: those of the triggers that still note
 * changes for nobody. `isRead`: somebody reads what they note, or will: another entry, or another service, captures the same database
 * by them.
 */
export function checkLeftTriggers(left: {
  hasSchema: boolean;
  functions: readonly string[];
  isRead: boolean;
}): Finding[] {
  if (!left.hasSchema || left.isRead) return [];
  const what = `schema ${CAPTURE_SCHEMA} is still there, and this database is captured by replication`;
  const repair = inSource(captureDrops(left.functions).join('; '), UNLESS_READ);
  return left.functions.length > 0
    ? [warning('capture_left', `${what}: triggers note changes for nobody`, repair)]
    : [notice('capture_left', `${what}: nothing is noted there any more`, repair)];
}

/** Of a table of which the publication lists some columns or rows. */
export function listsFault(table: QuotedTable, publication: { name: string }): Finding {
  const alter = `alter publication ${quoteIdentifier(publication.name)}`;
  const only = quoteTable(table);
  return fault(
    'trigger_lists',
    `${table.schema}.${table.name}: the publication lists some of its columns or rows, and triggers note whole rows: its changes are not captured`,
    inSource(
      `${alter} drop table only ${only}; ${alter} add table only ${only}`,
      'then leave columns out in a transform',
    ),
  );
}

/** Of this the one who is refused knows alone. */
export const RENEWAL_REFUSED = 'trigger_outdated';
const REFUSED = 'where that is not refused; it is tried again each 30 s';

/** Of a table that the publication lists. */
export function checkTriggered(table: TriggeredTable, publication: { name: string }): Finding | undefined {
  if (table.hasLists) return listsFault(table, publication);
  const name = `${table.schema}.${table.name}`;
  const mayNot =
    'as a superuser; or, where no superuser owns the table, let our role be a member of the one that does: grant ... to ...';
  if (!table.hasTriggers && table.refused !== undefined)
    return fault(
      'trigger_missing',
      `${name}: it has no triggers of ours, and its database refuses to make them: ${table.refused}: its changes are not captured`,
      inSource(table.sql, REFUSED),
    );
  if (!table.hasTriggers)
    return table.mayMake
      ? warning(
          'trigger_missing',
          `${name}: it has no triggers of ours yet: its changes are not captured`,
          inSource(table.sql, 'or let capture, which makes them within half a minute of looking'),
        )
      : fault(
          'trigger_missing',
          `${name}: it has no triggers of ours, and our role may not make them: its changes are not captured`,
          inSource(table.sql, mayNot),
        );
  return checkEnabled(table, name) ?? checkRenewed(table, name);
}

function checkRenewed({ refused, sql }: TriggeredTable, name: string): Finding | undefined {
  if (refused === undefined) return undefined;
  return warning(
    RENEWAL_REFUSED,
    `${name}: its database refuses to renew its triggers: ${refused}: they note its changes as before, and settings that were changed since, such as trigger_errors, have no effect on them`,
    inSource(sql, REFUSED),
  );
}

function checkEnabled(table: TriggeredTable, name: string): Finding | undefined {
  const repair = inSource(table.sql, 'then backfill the table, which sends what its rows hold now');
  if (table.enabled === 'disabled')
    return fault('trigger_disabled', `${name}: its triggers are disabled: its changes are not captured`, repair);
  if (table.enabled === 'replica')
    return fault(
      'trigger_disabled',
      `${name}: its triggers fire only where session_replication_role is replica: other changes are not captured`,
      repair,
    );
  if (table.enabled === 'origin')
    return warning(
      'trigger_disabled',
      `${name}: its triggers do not fire where session_replication_role is replica: such changes are not captured`,
      repair,
    );
  return undefined;
}

/** Somebody had `millrace.capture` off, or noting failed and `trigger_errors` is skip: what a sink missed of a table. */
export const capturedNothing = ({ schema, name }: QuotedTable): string =>
  `${schema}.${name}: a transaction changed it without noting that (millrace.capture was off, or noting failed): these changes are missing`;
