/**
 * A database that was captured by a replication slot goes over to triggers: its slot is read on until the triggers are there, and up to a
 * cut. The cut is stored before anything is left out by it; from then on it is gone over, whatever is declared meanwhile.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { repairText } from '../../checks/finding.ts';
import { NOTED } from '../../checks/noted-continuity.ts';
import { resyncing } from '../../checks/resyncing.ts';
import { switching } from '../../checks/switching.ts';
import { checkTriggered } from '../../checks/triggers.ts';
import type { Database } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import { readPosition } from '../../messages/position.ts';
import { MillraceError } from '../../model/errors.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import { flush } from '../../source/flushed.ts';
import { readReader } from '../../source/read-changes.ts';
import { readTables } from '../../source/tables.ts';
import { ensureTriggers } from '../../source/triggers/ensure.ts';
import { readTriggerFacts } from '../../source/triggers/for-checks.ts';
import { sayNeeded } from '../../source/triggers/left.ts';
import { forgetEmptied, truncateRead } from '../../source/triggers/truncate-read.ts';
import { oldestOpen } from '../../source/visibility.ts';
import type { CapturedDatabase, Way } from '../method.ts';
import { GapError, type Prepared } from '../replication/prepare.ts';
import { openReplication, type WayDeps } from '../replication/way.ts';
import { type Emptying, openEmptying } from '../triggers/emptying.ts';
import { ReaderThereError } from '../triggers/stream.ts';
import { type Attempts, BEGINNING, inTheWay, openAttempts } from './attempts.ts';
import { moveToTriggers, readCut, storeCut } from './cut.ts';
import { isPassed } from './join.ts';
import { Leaving } from './leave.ts';
import { openSince, ownXid, standingNow } from './ready.ts';

const FORGET_FOREIGN = statement('source/triggers/forget-foreign');
const SOON_MS = 20;
const LATE_MS = 500;

/** `slotName`: what it is captured by so far. */
export function openToTriggers(deps: WayDeps, database: CapturedDatabase, slotName: string): Way {
  const way = openReplication(deps, read(database, slotName));
  const leaving = new Leaving();
  let attempts: Attempts | undefined;
  const told = (prepared: Prepared): Prepared => ({
    ...prepared,
    warnings: [...prepared.warnings, switching('triggers', attempts?.awaited ?? BEGINNING)],
  });
  return {
    ...way,
    async prepare() {
      try {
        return told(await way.prepare());
      } catch (error) {
        throw orGap(error, { slotName, name: database.settings.name });
      }
    },
    check: async (now) => told(await way.check(read(now, slotName))),
    open(handlers, raw) {
      const stream = leaving.attach(way.open(handlers, raw));
      const close = async (): Promise<void> => {
        await stream.close();
        await attempts?.stop();
      };
      return { ...stream, close };
    },
    async between(session, fence) {
      const heard = await way.between!(session, fence);
      leaving.beginAt(fence.position.confirmedLsn);
      const to = new ToTriggers(deps, { database, slotName, leaving, generation: fence.generation });
      await to.resume();
      attempts = openAttempts(async (signal, wait) => await to.attempt(signal, wait), deps.log);
      return leaving.hearing(heard);
    },
    async moveOver(generation) {
      if (!leaving.isDone) return;
      const { messages } = deps;
      const stored = await readPosition(messages, database.no);
      const cut = await readCut(messages, database.no);
      if (!stored?.identity || cut?.way !== 'triggers') return;
      const identity = { ...stored.identity, slotName: NOTED, publicationOid: cut.changesOid ?? 0 };
      await moveToTriggers(messages, { databaseNo: database.no, generation, slotName }, { identity, cut });
      deps.log.info({}, 'captured by triggers from now on');
    },
  };
}

/** As it was declared for the slot. */
const read = (database: CapturedDatabase, name: string): CapturedDatabase => ({
  ...database,
  settings: { ...database.settings, capture: 'replication', slot: { name, create_if_not_exists: false } },
});

/** What the slot still has cannot be read, so a person decides whether it is missed. */
function orGap(error: unknown, { slotName, name }: { slotName: string; name: string }): unknown {
  if (!(error instanceof MillraceError) || error.code !== 'bad_source') return error;
  return new GapError(
    `the database was captured by replication slot ${slotName} and is to be captured by triggers, and what the slot has left cannot be read: ${error.message}`,
    [error.remedy, `or go on without it: ${repairText(resyncing(name))}`].filter(Boolean).join('; '),
  );
}

interface Going {
  database: CapturedDatabase;
  slotName: string;
  leaving: Leaving;
  generation: number;
}

type Wait = Parameters<Parameters<typeof openAttempts>[0]>[1];

class ToTriggers {
  readonly #deps: WayDeps;
  readonly #going: Going;
  #isCut = false;

  constructor(deps: WayDeps, going: Going) {
    this.#deps = deps;
    this.#going = going;
  }

  /** A cut that was stored before the process died is the one. */
  async resume(): Promise<void> {
    const cut = await readCut(this.#deps.messages, this.#going.database.no);
    if (cut?.way !== 'triggers') return;
    this.#going.leaving.cutAt(cut);
    this.#isCut = true;
  }

  async attempt(signal: AbortSignal, wait: Wait): Promise<void> {
    const source = this.#deps.beside();
    const emptying = openEmptying((snapshot) => truncateRead(source, { snapshot }), this.#deps.log);
    try {
      if (!this.#isCut) {
        await this.#untilJoined(source, signal);
        await this.#cut(source, emptying, { signal, wait });
      }
      // Brings the stream on where nobody writes.
      await flush(source);
    } finally {
      emptying.stop();
      this.#going.leaving.unwatch();
      await source.close().catch(() => undefined);
    }
  }

  /** The switch of before is through: what its cut says is not needed any more. */
  async #untilJoined(source: Database, signal: AbortSignal): Promise<void> {
    const { messages } = this.#deps;
    const { no } = this.#going.database;
    const cut = await readCut(messages, no);
    if (!cut) return;
    while (!signal.aborted && !isPassed(cut, (await readPosition(messages, no))?.commitLsn ?? 0n)) {
      await flush(source);
      await sleep(LATE_MS, undefined, { signal });
    }
  }

  async #cut(
    source: Database,
    emptying: Emptying,
    { signal, wait }: { signal: AbortSignal; wait: Wait },
  ): Promise<void> {
    const { leaving } = this.#going;
    const reader = await readReader(source);
    if (reader) throw new ReaderThereError(reader);
    await sayNeeded(source);
    const { snapshot: noted, changesOid } = await standingNow(source);
    // What was noted until now is nobody's, and there may be much of it.
    if (changesOid !== null) await truncateRead(source, { snapshot: noted });
    await this.#stand(source);
    await source.query(FORGET_FOREIGN);
    await forgetEmptied(source);
    leaving.watch();
    const xid = await ownXid(source);
    for (let waitMs = SOON_MS; !signal.aborted; waitMs = Math.min(LATE_MS, waitMs * 2)) {
      const { snapshot } = await standingNow(source);
      leaving.isSeenBy(snapshot);
      emptying.read(snapshot);
      if (oldestOpen(snapshot) < xid) wait(await openSince(source));
      else {
        // Tables may have come in meanwhile.
        await this.#stand(source);
        if (await leaving.held(async () => await this.#cutNow(source))) return;
      }
      await sleep(waitMs, undefined, { signal });
    }
  }

  /** @throws MillraceError what is in the way of noting all that is published. */
  async #stand(source: Database): Promise<void> {
    const { settings } = this.#going.database;
    const publication = settings.publication.name;
    const tables = (await readTables(source, publication)).filter(({ published }) => published);
    const onError = settings.trigger_errors ?? 'fail';
    const plain = tables.filter((table) => !table.some_columns && !table.some_rows);
    const { locked, refused } = await ensureTriggers(source, { tables: plain, onError });
    const [one] = locked;
    if (one)
      throw new MillraceError(
        'bad_source',
        `${one.schema}.${one.name} is locked, so that it has not got its triggers yet`,
        {
          remedy: 'Let whoever has it locked end.',
        },
      );
    const facts = await readTriggerFacts(source, publication, { onError, refused });
    const found = tables.flatMap(({ oid }) => {
      const table = facts.tables.get(oid);
      const finding = table && checkTriggered(table, { name: publication });
      return finding ? [finding] : [];
    });
    if (found[0]) throw inTheWay(found[0]);
  }

  /** False: the snapshot does not see all that was told. */
  async #cutNow(source: Database): Promise<boolean> {
    const { leaving, database, generation, slotName } = this.#going;
    const now = await standingNow(source);
    if (!leaving.isSeenBy(now.snapshot)) return false;
    // A crash of the source would take back what is not on the disk, and give its ids to others.
    await flush(source);
    failpoint('switch/before-cut');
    const cut = { snapshot: now.snapshot, untilLsn: now.lsn, baseLsn: now.lsn };
    const owner = { databaseNo: database.no, generation, slotName };
    try {
      await storeCut(this.#deps.messages, owner, { ...cut, way: 'triggers', changesOid: now.changesOid });
    } catch (error) {
      // It may be stored all the same.
      leaving.fail(error);
      throw error;
    }
    failpoint('switch/after-cut');
    this.#isCut = true;
    leaving.cutAt(cut);
    return true;
  }
}
