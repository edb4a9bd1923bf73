/** The replication slot, made when asked. After a gap that a person accepted, one that cannot go on is made anew; never before. */
import { repairText } from '../../checks/finding.ts';
import { checkBeginning, slotCreation } from '../../checks/slot.ts';
import type { Database } from '../../db/pool.ts';
import type { DatabaseSettings } from '../../model/declared.ts';
import { MillraceError } from '../../model/errors.ts';
import { isCancelled } from '../../model/sqlstate.ts';
import { readSlot, readWriters } from '../../source/server-facts.ts';

export interface SlotWanted {
  settings: DatabaseSettings['slot'];
  version: number;
  /** A person accepted that changes are missing. */
  gapAccepted: boolean;
  /** Nothing that was written before can be published: the publication is younger than it. */
  skipOlder: boolean;
}

/** Makes the slot when asked; one that can go on is taken as it is. Returns what it is confirmed up to. */
export async function ensureSlot(source: Database, wanted: SlotWanted): Promise<string> {
  const { name } = wanted.settings;
  let slot = await readSlot(source, name);
  const found = checkBeginning(wanted.settings, slot, wanted);
  if (found) throw new MillraceError('bad_source', found.summary, { remedy: repairText(found) });
  if (slot?.wal_status === 'lost') {
    await source.query('select pg_drop_replication_slot($1::name)', [name]);
    slot = undefined;
  }
  if (!slot) {
    await create(source, name, wanted.version);
  } else if (wanted.skipOlder) {
    // Before 18 decoding of what was written without the publication fails for ever (42704), and since then it is a gap.
    await source.query('select from pg_replication_slot_advance($1::name, pg_current_wal_lsn())', [name]);
  }
  return (await readSlot(source, name))?.confirmed_flush_lsn ?? '0/0';
}

/** Waits for every transaction that is writing now, as Postgres does, but not for ever: the pool's statement timeout. */
async function create(source: Database, name: string, version: number): Promise<void> {
  try {
    await source.query(slotCreation(name, version));
  } catch (error) {
    if (!isCancelled(error)) throw error;
    const { pids, prepared } = await readWriters(source);
    const who = [pids && `backends ${pids}`, prepared && `prepared transactions ${prepared}`].filter(Boolean);
    throw new MillraceError(
      'bad_source',
      `creating replication slot ${name} waits for transactions that are writing: ${who.join('; ') || 'they are over now'}`,
      {
        remedy: pids
          ? `Let them end, or: ${pids
              .split(', ')
              .map((pid) => `select pg_terminate_backend(${pid})`)
              .join('; ')}`
          : 'Commit or roll back the prepared transactions.',
      },
    );
  }
}
