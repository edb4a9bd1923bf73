/** The replication slot, made when asked. After a gap that a person accepted, one that cannot go on is made anew; never before. */
import { repairText } from '../../checks/finding.ts';
import { checkBeginning, slotCreation, slotRenewal } from '../../checks/slot.ts';
import type { Database } from '../../db/pool.ts';
import type { DatabaseSettings } from '../../model/declared.ts';
import { MillraceError } from '../../model/errors.ts';
import { formatLsn, parseLsn } from '../../model/lsn.ts';
import { isCancelled } from '../../model/sqlstate.ts';
import { hasCatalogChanged, nextXid } from '../../source/catalog-changes.ts';
import { readSlot, readWriters } from '../../source/server-facts.ts';

/** Bytes of WAL; what takes longer than a statement may is not read at all. */
const SMALLEST_STEP = 1_048_576n;

const DROP = 'select pg_drop_replication_slot($1::name)';

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
    await source.query(DROP, [name]);
    slot = undefined;
  }
  if (!slot) {
    await create(source, name, wanted.version);
  } else if (wanted.skipOlder) {
    // Before 18 decoding of what was written without the publication fails for ever (42704), and since then it is a gap.
    await skipAll(source, wanted, slot.confirmed_flush_lsn ?? '0/0');
  }
  return (await readSlot(source, name))?.confirmed_flush_lsn ?? '0/0';
}

/**
 * To where the source has written now. The server reads all WAL in between, and what it had read is lost when the deadline of a
 * statement ends that. A slot that we may make is made anew then, for nothing of that WAL is wanted; another one goes in
 * smaller steps, each of which stays done.
 */
async function skipAll(source: Database, wanted: SlotWanted, from: string): Promise<void> {
  const { name } = wanted.settings;
  const { rows } = await source.query<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
  const end = parseLsn(rows[0]!.lsn);
  let at = parseLsn(from);
  let step = end - at;
  while (at < end) {
    const to = end - at > step ? at + step : end;
    try {
      await source.query('select from pg_replication_slot_advance($1::name, $2::pg_lsn)', [name, formatLsn(to)]);
      at = to;
    } catch (error) {
      if (!isCancelled(error)) throw error;
      if (wanted.settings.create_if_not_exists) {
        await source.query(DROP, [name]);
        return await create(source, name, wanted.version);
      }
      step = (to - at) / 2n;
      if (step < SMALLEST_STEP) throw cannotSkip(wanted, error);
    }
  }
}

const cannotSkip = ({ settings: { name }, version }: SlotWanted, cause: unknown): MillraceError =>
  new MillraceError('bad_source', `moving replication slot ${name} to where the source writes now takes too long`, {
    remedy: slotRenewal(name, version),
    cause,
  });

/** A slot is made again for so long, where the catalog changes meanwhile. One that is made then may lack a change, and is kept. */
const AGAIN_MS = 30_000;

/**
 * One that knows the catalog (source/catalog-changes.ts): nothing was read of it yet, so it can be made as often as that takes.
 * Dies the process before it has looked, the slot is taken as it is.
 */
async function create(source: Database, name: string, version: number): Promise<void> {
  for (const until = performance.now() + AGAIN_MS; ; ) {
    const since = await nextXid(source);
    await createOnce(source, name, version);
    if (!(await hasCatalogChanged(source, since, version)) || performance.now() > until) return;
    await source.query(DROP, [name]);
  }
}

/** Waits for every transaction that is writing now, as Postgres does, but not for ever: the pool's statement timeout. */
async function createOnce(source: Database, name: string, version: number): Promise<void> {
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
