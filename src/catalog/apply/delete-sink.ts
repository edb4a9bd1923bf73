/**
 * A sink or a change retention deleted by a request: in one transaction it is looked at, counted and taken out of the catalog.
 * Its storage is freed by `freeStorage` afterwards.
 */
import { statement } from '../../db/statement.ts';
import { capturesByTriggers } from '../../model/declared.ts';
import { MillraceError } from '../../model/errors.ts';
import { count } from '../../model/quantity.ts';
import { quoteTable } from '../../model/quote.ts';
import type { ApplyDeps } from './apply.ts';
import { findThing, refuseChange, type ThingRef } from './change-thing.ts';
import { readCurrent } from './current.ts';
import { remadeWarnings } from './named-by-file.ts';
import { removeIn } from './remove-sink.ts';
import { kindOf } from './sinks.ts';
import { entryOf, wordOf } from './stored.ts';
import { type ChangeOptions, changeCatalog } from './transaction.ts';

const UNDELIVERED = statement('catalog/undelivered');

export interface SinkDeletion extends ThingRef {
  type: 'sink' | 'change_retention';
  /** Its messages go with it. */
  force: boolean;
  /** A file that manages it has no say. */
  release: boolean;
}

export interface DeletedSink {
  id: string;
  name: string;
  /** Messages that went with it. */
  pending: number;
  parked: number;
  /** Statements for what it wrote, which is not ours to delete. */
  left: string[];
  /** Sentences. */
  warnings: string[];
}

/** @throws MillraceError not_found, managed_by_file, version_conflict, needs_force; unavailable when locks could not be had. */
export async function deleteSink(
  { db, keys }: ApplyDeps,
  deletion: SinkDeletion,
  options: ChangeOptions = {},
): Promise<DeletedSink> {
  const { type, force, release } = deletion;
  return await changeCatalog(
    db,
    async (tx) => {
      const current = await readCurrent(tx);
      const row = findThing(current, deletion);
      refuseChange(release ? { ...row, managed_by: 'api' } : row, deletion);
      const { id, name } = row;
      const { rows } = await tx.query<{ pending: number; parked: number }>(UNDELIVERED, [[name]]);
      const { pending, parked } = { pending: 0, parked: 0, ...rows[0] };
      if (!force && pending + parked > 0) throw needsForce(`${wordOf(type)} ${name}`, { pending, parked });
      const { is_last, database_name } = await removeIn(tx, {
        name,
        subject: `${type} ${name}`,
        before: entryOf(current, name, { type, keys }),
      });
      const { settings } = current.sinks.find((sink) => sink.id === id)!;
      const into = kindOf(settings).writesInto?.(settings.destination);
      const left = into === undefined ? [] : [`drop table ${quoteTable(into)}`];
      const source = current.databases.find((one) => one.name === database_name);
      const goesOn =
        source && capturesByTriggers(source.settings) ? 'its triggers note changes for nobody' : 'its slot keeps WAL';
      const unread =
        `No sink reads from database ${database_name} any more, and ${goesOn}: ` +
        'make one that does, or delete the database.';
      const warnings = [...remadeWarnings(row), ...(is_last ? [unread] : [])];
      return { id, name, pending, parked, left, warnings };
    },
    options,
  );
}

function needsForce(what: string, counts: { pending: number; parked: number }): MillraceError {
  const { pending, parked } = counts;
  const message = `${what} has ${count(pending)} pending and ${count(parked)} parked messages, which would go with it`;
  return new MillraceError('needs_force', message, {
    remedy: 'Delete it with ?force=true if they may be lost.',
    facts: counts,
  });
}
