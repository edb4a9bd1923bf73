/**
 * Decides what becomes of declared sinks and change retentions, and writes them with the storage of each. What a person did
 * to a sink's status stays until the file says another one than it said before.
 */
import { randomUUID } from 'node:crypto';
import type { Transaction } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { SinkSettings } from '../../model/declared.ts';
import { quoteLiteral } from '../../model/quote.ts';
import type { KeyRing } from '../../runtime/secret-key.ts';
import type { SinkKind } from '../../sinks/contract.ts';
import { kindNamed } from '../../sinks/kinds.ts';
import type { Declared } from '../declare/declaration.ts';
import { sinkEntry } from '../declare/written.ts';
import { credentialPlace, openIfOurs, seal } from '../secrets.ts';
import { keptSecret } from './kept-secret.ts';
import {
  type Decided,
  type ManagedBy,
  releasedNote,
  type Step,
  sameJson,
  standingAfter,
  type Taking,
  withStanding,
} from './step.ts';

const putSink = statement('catalog/put-sink');
const addStorage = statement('catalog/add-storage');
const startBackfill = statement('catalog/start-backfill');

export interface SinkRow {
  id: string;
  no: number;
  name: string;
  kind: string;
  status: SinkSettings['status'];
  settings: SinkSettings;
  secret: string | null;
  lanes: number;
  database_name: string;
  managed_by: ManagedBy;
  released: boolean;
  /** That of its entry in the file it was released from, where it has another name now. */
  entry_name: string | null;
  /** Rises with every change. */
  version: number;
  updated_by: string | null;
  private_ok: boolean;
  /** That of the file, as it was applied last; null: no file has named it. */
  declared_status: SinkSettings['status'] | null;
  /** Its functions brought their process down, and it was paused for that. */
  killed: boolean;
}

/** The kind of a sink that is declared. */
export const kindOf = ({ destination }: SinkSettings): SinkKind => kindNamed(destination.type)!;

/** As people and programs call it: `sink`, `change_retention`. */
export const typeOf = (settings: SinkSettings): string => (kindOf(settings).list?.entry ?? 'sink').replaceAll(' ', '_');

/** The credential; undefined: what is sealed is not ours to open. @throws MillraceError bad_setting: another SECRET_KEY. */
export function secretOf(keys: KeyRing, row: SinkRow): string | null | undefined {
  if (row.secret === null) return null;
  return openIfOurs(keys, credentialPlace({ ...row, destination: row.settings.destination }), row.secret);
}

/** @throws MillraceError bad_setting: another SECRET_KEY. */
export function decideSinks(
  rows: readonly SinkRow[],
  declared: Declared['sinks'],
  { taking, decided }: { taking: Taking; decided: Decided },
): void {
  const existing = new Map(rows.map((row) => [row.name, row]));
  for (const { settings: wanted, secret } of declared) {
    const row = existing.get(wanted.name);
    if (row && taking.isReleased(typeOf(wanted), row)) {
      decided.notes.push(releasedNote(typeOf(wanted), row.name));
      continue;
    }
    const before = row && { row, secret: secretOf(taking.keys, row) };
    const kept = keptSecret({ ...wanted, secret }, before && { ...row!.settings, secret: before.secret });
    if ('faults' in kept) decided.faults.push(...kept.faults);
    else {
      const isFile = taking.managedBy === 'file';
      const settings = row && isFile ? withStatus(wanted, row, decided.notes) : wanted;
      decided.steps.push({ ...stepOf({ settings, secret: kept.secret }, before, taking), status: wanted.status });
    }
    if (row && wanted.initial_backfill && !sameJson(row.settings.initial_backfill ?? null, wanted.initial_backfill))
      decided.notes.push(
        `sink ${wanted.name} is there already, so its initial_backfill starts nothing; ` +
          `\`bin/millrace backfill ${wanted.name}\` sends the rows of its tables.`,
      );
    if (row && groupsDiffer(row.settings, wanted)) decided.notes.push(regroupedNote(wanted.name));
    const left = row && kindOf(wanted).leavesBehind?.(row.settings.destination, wanted.destination);
    if (left) decided.notes.push(`${typeOf(wanted)} ${wanted.name}: ${left}`);
  }
}

/** Is it decided in another way which messages stay in order with each other? */
const groupsDiffer = (before: SinkSettings, after: SinkSettings): boolean =>
  after.message_grouping && !sameJson([before.message_grouping, before.tables], [true, after.tables]);

const regroupedNote = (name: string): string =>
  `sink ${name}: messages that wait already stay in the groups that they have, so a later message may be delivered before them, ` +
  'even one of the same row where groups are columns of the key; if that matters, change it when none is waiting.';

interface Stored {
  row: SinkRow;
  secret: string | null | undefined;
}

function stepOf({ settings, secret }: Declared['sinks'][number], stored: Stored | undefined, taking: Taking): Step {
  const row = stored?.row;
  const kind = kindOf(settings);
  const lanes = lanesOf(settings, row?.lanes ?? 0);
  const server = kind.server?.(settings.destination);
  const sameServer = row !== undefined && kind.server?.(row.settings.destination) === server;
  const standing = standingAfter(row, taking, sameServer);
  const { isSame, ...entries } = withStanding(
    row && { entry: sinkEntry(row.settings, stored?.secret ?? null), standing: row },
    { entry: sinkEntry(settings, secret), standing },
  );
  const same =
    isSame &&
    row?.status === settings.status &&
    row.lanes === lanes &&
    stored?.secret === secret &&
    sameJson(row.settings, settings);
  return {
    type: typeOf(settings),
    name: settings.name,
    action: row === undefined ? 'create' : same ? 'keep' : 'update',
    ...entries,
    ...(server === undefined ? {} : { server: { host: new URL(server).hostname, privateOk: standing.private_ok } }),
    async write(tx) {
      const id = row?.id ?? randomUUID();
      const written = await tx.query<{ no: number }>(putSink, [
        settings.name,
        kind.type,
        settings.database,
        settings.status,
        JSON.stringify(settings),
        secret === null ? null : seal(taking.keys, credentialPlace({ id, ...settings }), secret),
        lanes,
        id,
        kind.writesInto?.(settings.destination).database ?? null,
        JSON.stringify(kind.traits),
        taking.managedBy === 'file' ? 'file' : 'operator',
        standing.private_ok,
      ]);
      await tx.query(addStorage, [written.rows[0]!.no]);
      if (row === undefined) await startBackfills(tx, settings);
    },
  };
}

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

/**
 * A status that the file has not changed is no order of its own: what was set since then stays. A sink that we paused because
 * its functions bring their process down stays so in any case: each start would park three more messages. Only a person who
 * fixed the function resumes it.
 */
function withStatus(wanted: SinkSettings, row: SinkRow, notes: string[]): SinkSettings {
  if (row.killed && row.status === 'paused' && wanted.status === 'active') {
    notes.push(
      `sink ${wanted.name} stays paused, whatever its \`status\` here: its functions brought their process down. ` +
        `When they are fixed: select millrace.resume(${quoteLiteral(wanted.name)})`,
    );
    return { ...wanted, status: 'paused' };
  }
  return row.declared_status === wanted.status ? { ...wanted, status: row.status } : wanted;
}

/** What is there before the sink is read once, when it is created: the same transaction makes both, or neither. */
async function startBackfills(tx: Transaction, { name, initial_backfill: wanted }: SinkSettings): Promise<void> {
  const all = { table: null, sort_column: null, start_position: null };
  for (const { table, sort_column, start_position } of wanted === true ? [all] : (wanted ?? [])) {
    const [schema, ...rest] = table?.split('.') ?? [null];
    await tx.query(startBackfill, [name, schema, table === null ? null : rest.join('.'), sort_column, start_position]);
  }
}
