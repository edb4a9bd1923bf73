/**
 * Writes sinks and change retentions that differ, with the storage of each. References are checked against the catalog
 * as it is within the transaction, and all that cannot be done is reported together.
 */
import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { FunctionSettings, SinkSettings } from '../../model/declared.ts';
import { type Fault, MillraceError } from '../../model/errors.ts';
import { quoteLiteral } from '../../model/quote.ts';
import type { KeyRing } from '../../runtime/secret-key.ts';
import type { SinkKind } from '../../sinks/contract.ts';
import { kindNamed } from '../../sinks/kinds.ts';
import type { Declared } from '../declare/declaration.ts';
import { credentialPlace, opensTo, seal } from '../secrets.ts';
import { type Summary, sameJson } from './summary.ts';

const listSinks = statement('catalog/list-sinks');
const listDatabases = statement('catalog/list-databases');
const listFunctions = statement('catalog/list-functions');
const putSink = statement('catalog/put-sink');
const addStorage = statement('catalog/add-storage');
const startBackfill = statement('catalog/start-backfill');

interface Row {
  id: string;
  no: number;
  name: string;
  kind: string;
  status: string;
  settings: SinkSettings;
  secret: string | null;
  lanes: number;
  database_name: string;
  /** Its functions brought their process down, and it was paused for that. */
  killed: boolean;
}

/** The kind of a sink that is declared. */
const kindOf = ({ destination }: SinkSettings): SinkKind => kindNamed(destination.type)!;

/**
 * Lanes of a sink. A receivable one needs one for shaping when it has functions. It keeps that one when they go: what waits
 * there to be shaped must not be overtaken.
 */
function lanesOf(settings: SinkSettings, current: number): number {
  const { traits, lanes } = kindOf(settings);
  if (!traits.receivable) return lanes;
  const shaped = [settings.filter, settings.transform, settings.routing].some((name) => name !== null);
  return Math.max(current, shaped ? lanes : 0);
}

/** @throws MillraceError bad_configuration; nothing must be committed then. */
export async function applySinks(
  deps: { tx: Transaction; keys: KeyRing },
  declared: Declared['sinks'],
  summary: Summary,
): Promise<void> {
  const { tx, keys } = deps;
  const { rows } = await tx.query<Row>(listSinks);
  const existing = new Map(rows.map((row) => [row.name, row]));
  await checkAll(tx, declared, existing);
  for (const { settings: wanted, secret } of declared) {
    const row = existing.get(wanted.name);
    const settings = row === undefined ? wanted : stayingPaused(wanted, row, summary);
    const lanes = lanesOf(settings, row?.lanes ?? 0);
    const same =
      row !== undefined &&
      row.status === settings.status &&
      row.lanes === lanes &&
      sameSecret(keys, row, secret) &&
      sameJson(row.settings, settings);
    const kind = kindOf(settings);
    const label = kind.list?.entry ?? 'sink';
    if (!summary.add(`${label} ${settings.name}`, row !== undefined, same)) continue;
    const id = row?.id ?? randomUUID();
    const place = credentialPlace({ id, ...settings });
    const written = await tx.query<{ no: number }>(putSink, [
      settings.name,
      kind.type,
      settings.database,
      settings.status,
      JSON.stringify(settings),
      secret === null ? null : seal(keys, place, secret),
      lanes,
      id,
      kind.writesInto?.(settings.destination).database ?? null,
      JSON.stringify(kind.traits),
    ]);
    await tx.query(addStorage, [written.rows[0]!.no]);
    if (row === undefined) await startBackfills(tx, settings);
    else if (settings.initial_backfill && !sameJson(row.settings.initial_backfill ?? null, settings.initial_backfill))
      summary.notes.push(
        `sink ${settings.name} is there already, so its initial_backfill starts nothing; ` +
          `\`bin/millrace backfill ${settings.name}\` sends the rows of its tables.`,
      );
  }
}

function sameSecret(keys: KeyRing, row: Row, secret: string | null): boolean {
  if (row.secret === null || secret === null) return row.secret === secret;
  const place = credentialPlace({ ...row, destination: row.settings.destination });
  return opensTo(keys, place, { sealed: row.secret, plain: secret });
}

/**
 * A sink that we paused because its functions bring their process down stays so: each start would park three more messages.
 * Only a person who fixed the function resumes it.
 */
function stayingPaused(wanted: SinkSettings, row: Row, summary: Summary): SinkSettings {
  if (!row.killed || row.status !== 'paused' || wanted.status !== 'active') return wanted;
  summary.notes.push(
    `sink ${wanted.name} stays paused, whatever its \`status\` here: its functions brought their process down. ` +
      `When they are fixed: select millrace.resume(${quoteLiteral(wanted.name)})`,
  );
  return { ...wanted, status: 'paused' };
}

/** What is there before the sink is read once, when it is created: the same transaction makes both, or neither. */
async function startBackfills(tx: Transaction, { name, initial_backfill: wanted }: SinkSettings): Promise<void> {
  const all = { table: null, sort_column: null, start_position: null };
  for (const { table, sort_column, start_position } of wanted === true ? [all] : (wanted ?? [])) {
    const [schema, ...rest] = table?.split('.') ?? [null];
    await tx.query(startBackfill, [name, schema, table === null ? null : rest.join('.'), sort_column, start_position]);
  }
}

async function checkAll(tx: Transaction, declared: Declared['sinks'], existing: Map<string, Row>): Promise<void> {
  const databases = await tx.query<{ name: string }>(listDatabases);
  const functions = await tx.query<{ name: string; settings: FunctionSettings }>(listFunctions);
  const known = {
    databases: new Set(databases.rows.map(({ name }) => name)),
    functions: new Set(functions.rows.map(({ name }) => name)),
  };
  const faults = declared.flatMap(({ settings }) => [
    ...references(settings, known),
    ...changes(settings, existing.get(settings.name)),
  ]);
  if (faults.length === 0) return;
  const lines = faults.map(({ field, message, remedy }) => `${field} ${message}; ${remedy}`);
  throw new MillraceError('bad_configuration', lines.join('\n'), { faults });
}

function references(settings: SinkSettings, known: { databases: Set<string>; functions: Set<string> }): Fault[] {
  const into = kindOf(settings).writesInto?.(settings.destination);
  const databases = [settings.database, ...(into ? [into.database] : [])];
  const functions = [settings.filter, settings.transform, settings.routing].filter((name) => name !== null);
  const remedy = 'Declare it, or name one that is there.';
  return [
    ...databases
      .filter((name) => !known.databases.has(name))
      .map((name) => ({
        field: settings.name,
        message: `names the database \`${name}\`, which does not exist`,
        remedy,
      })),
    ...functions
      .filter((name) => !known.functions.has(name))
      .map((name) => ({
        field: settings.name,
        message: `names the function \`${name}\`, which does not exist`,
        remedy,
      })),
  ];
}

/** What an existing sink cannot become: its storage and its place in the order belong to its kind and its database. */
function changes(settings: SinkSettings, row: Row | undefined): Fault[] {
  if (row === undefined) return [];
  const remedy = 'Give the new one another name, and remove the old one when its messages are done.';
  const { type } = kindOf(settings);
  if (row.kind !== type) {
    return [{ field: settings.name, message: `is of kind ${row.kind} and cannot become ${type}`, remedy }];
  }
  if (row.database_name !== settings.database) {
    const message = `reads from database \`${row.database_name}\` and cannot move to \`${settings.database}\``;
    return [{ field: settings.name, message, remedy }];
  }
  return [];
}
