/**
 * The catalog as a file that declares it: applied again, it changes nothing but who manages what no file had declared. What an
 * operator did to a sink's status is not in it, as it is in no file.
 */

import type { ApplyDeps } from '../catalog/apply/apply.ts';
import { type Current, readCurrent } from '../catalog/apply/current.ts';
import { addressOf } from '../catalog/apply/databases.ts';
import { type SinkRow, secretOf } from '../catalog/apply/sinks.ts';
import { least } from '../catalog/declare/least.ts';
import {
  databaseEntry,
  type Entry,
  functionEntry,
  listOf,
  sinkEntry,
  tokenEntry,
  withSecrets,
} from '../catalog/declare/written.ts';
import { yamlText } from '../catalog/declare/yaml-text.ts';
import type { SinkSettings } from '../model/declared.ts';
import { MASK } from '../model/masked.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import { kindOfType } from '../sinks/kinds.ts';

export interface ExportOptions {
  /** Secrets are written; those of tokens never, of which hashes alone are stored. */
  reveal: boolean;
}

/** The text of millrace.yaml. @throws MillraceError bad_setting: a wrong SECRET_KEY. */
export async function exportConfig({ db, keys }: ApplyDeps, { reveal }: ExportOptions): Promise<string> {
  const current = await db.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read read only');
    return await readCurrent(tx);
  });
  const show = (secret: string): string => (reveal ? secret : MASK);
  const tokens = current.tokens
    .filter(({ revoked }) => !revoked)
    .map(({ name, scopes }) => withSecrets(tokenEntry({ name, scopes, identity: '' }), () => MASK));
  const lists = {
    api_tokens: tokens,
    databases: databasesOf(current, keys).map((entry) => withSecrets(entry, show)),
    functions: current.functions.map(({ settings }) => least('functions', functionEntry(settings))),
    ...sinksOf(current, keys, show),
  };
  const filled = Object.entries(lists).filter(([, entries]) => entries.length > 0);
  return filled.length === 0 ? '' : yamlText(Object.fromEntries(filled));
}

function databasesOf({ databases, sinks }: Current, keys: KeyRing): Entry[] {
  const sources = new Set(sinks.map(({ database_name }) => database_name));
  return databases.map((row) => {
    const entry = databaseEntry(row.settings, addressOf(keys, row));
    const { slot, publication } = entry;
    // Of a source they stand in the file, default or not.
    return { ...least('databases', entry), ...(sources.has(row.name) ? { slot, publication } : {}) };
  });
}

/** By the list of the file that they stand in. */
function sinksOf({ sinks }: Current, keys: KeyRing, show: (secret: string) => string): Record<string, unknown[]> {
  const known = sinks.filter(({ kind }) => kindOfType(kind) !== undefined);
  const entries = known.map((row) => {
    const settings = declaredOf(row);
    const list = listOf(settings);
    return { list, entry: withSecrets(least(list, sinkEntry(settings, secretOf(keys, row) ?? null)), show) };
  });
  const lists = [...new Set(['sinks', ...entries.map(({ list }) => list)])];
  const of = (wanted: string): unknown[] => entries.flatMap(({ list, entry }) => (list === wanted ? [entry] : []));
  return Object.fromEntries(lists.map((list) => [list, of(list)]));
}

/** A disabled sink keeps nothing that a backfill could send. */
function declaredOf({ settings, managed_by, declared_status }: SinkRow): SinkSettings {
  const status = managed_by === 'file' ? (declared_status ?? settings.status) : settings.status;
  if (status !== 'disabled') return { ...settings, status };
  const { initial_backfill: _, ...rest } = settings;
  return { ...rest, status };
}
