/**
 * A database that was captured by triggers goes over to a replication slot: what they note is read on until the slot is there, and until
 * a look sees everything that was open when it was. That look is the last one, and the cut.
 */
import { repairText } from '../../checks/finding.ts';
import { NOTED } from '../../checks/noted-continuity.ts';
import { checkPublication, publicationMissing } from '../../checks/publication.ts';
import { checkServer } from '../../checks/server.ts';
import { type Awaited, switching } from '../../checks/switching.ts';
import type { Database } from '../../db/pool.ts';
import { readPosition } from '../../messages/position.ts';
import { MillraceError } from '../../model/errors.ts';
import type { SourceIdentity } from '../../model/source-identity.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import { identifySystem } from '../../source/identify.ts';
import { publicationSql, wantedPublication } from '../../source/publication.ts';
import { readPublication } from '../../source/publication-facts.ts';
import type { Look } from '../../source/read-changes.ts';
import { readSlot, readSource } from '../../source/server-facts.ts';
import { readTables } from '../../source/tables.ts';
import { sayLeft } from '../../source/triggers/left.ts';
import { oldestOpen } from '../../source/visibility.ts';
import type { CapturedDatabase, Way } from '../method.ts';
import { type Prepared, refuseErrors, SlotInUseError } from '../replication/prepare.ts';
import { ensureSlot } from '../replication/slot.ts';
import type { WayDeps } from '../replication/way.ts';
import { openTriggers } from '../triggers/way.ts';
import { type Attempts, BEGINNING, openAttempts } from './attempts.ts';
import { moveToReplication } from './cut.ts';
import { openSince, ownXid } from './ready.ts';

/** What must be as it was when the cut is made. */
interface Ready {
  identity: SourceIdentity;
  /** Oids of what the publication lists. */
  tables: string;
  /** Of the slot. */
  confirmedLsn: string;
  /** Whatever has a higher id began when all this was so. */
  xid: bigint;
}

export function openToReplication(deps: WayDeps, database: CapturedDatabase): Way {
  const going = new ToReplication(deps, database);
  const way = openTriggers(deps, database, async (look) => await going.isLast(look));
  const told = async (prepared: Prepared): Promise<Prepared> => ({
    ...prepared,
    warnings: [...prepared.warnings, switching('replication', await going.awaited())],
  });
  return {
    ...way,
    prepare: async () => await told(await way.prepare()),
    check: async (now) => await told(await way.check(now)),
    open(handlers, raw) {
      const stream = way.open(handlers, raw);
      const close = async (): Promise<void> => {
        await stream.close();
        await going.stop();
      };
      return { ...stream, close };
    },
    async between(session) {
      going.begin();
      return session;
    },
    moveOver: async (generation) => await going.moveOver(generation),
  };
}

class ToReplication {
  readonly #deps: WayDeps;
  readonly #database: CapturedDatabase;
  #attempts: Attempts | undefined;
  #beside: Database | undefined;
  /** Of its session. */
  #pid: number | undefined;
  #ready: Ready | undefined;
  #cut: { look: Look; ready: Ready } | undefined;

  constructor(deps: WayDeps, database: CapturedDatabase) {
    this.#deps = deps;
    this.#database = database;
  }

  begin(): void {
    const source = this.#deps.beside();
    this.#beside = source;
    this.#pid = undefined;
    this.#attempts = openAttempts(async () => {
      const { rows } = await source.query<{ pid: number }>('select pg_backend_pid() as pid');
      this.#pid = rows[0]!.pid;
      this.#ready = await this.#makeReady(source);
    }, this.#deps.log);
  }

  /** What it waits for. */
  async awaited(): Promise<Awaited> {
    if (this.#ready && this.#beside) return await openSince(this.#beside);
    return this.#attempts?.awaited ?? BEGINNING;
  }

  async stop(): Promise<void> {
    const stopped = this.#attempts?.stop();
    // A slot that is being made waits for others' transactions.
    if (this.#ready === undefined && this.#pid !== undefined)
      await this.#deps.source.query('select pg_cancel_backend($1::integer)', [this.#pid]).catch(() => undefined);
    await stopped;
    await this.#beside?.close().catch(() => undefined);
  }

  /** All that was open when the slot was there is over by this look, and the slot is there still. */
  async isLast(look: Look): Promise<boolean> {
    const ready = this.#ready;
    if (!ready || !this.#beside || oldestOpen(look.snapshot) < ready.xid) return false;
    const now = await this.#looked(this.#beside).catch(() => undefined);
    if (!now || JSON.stringify(now) !== JSON.stringify(withoutXid(ready))) {
      await this.stop();
      this.#ready = undefined;
      this.begin();
      return false;
    }
    failpoint('switch/last-look');
    this.#cut = { look, ready };
    return true;
  }

  async moveOver(generation: number): Promise<void> {
    if (!this.#cut) return;
    const { messages } = this.#deps;
    const { no } = this.#database;
    const { look, ready } = this.#cut;
    const stored = await readPosition(messages, no);
    if (!stored) return;
    await sayLeft(this.#deps.source);
    await moveToReplication(
      messages,
      { databaseNo: no, generation, slotName: NOTED },
      {
        identity: ready.identity,
        confirmedLsn: ready.confirmedLsn,
        cut: { snapshot: look.snapshot, untilLsn: look.lsn, baseLsn: stored.commitLsn },
      },
    );
    this.#deps.log.info({}, 'captured by replication from now on');
  }

  async #makeReady(source: Database): Promise<Ready> {
    const { settings } = this.#database;
    const facts = await readSource(source, () => identifySystem(this.#deps.options));
    refuseErrors(checkServer(facts));
    const { publication } = await this.#readPublication(source, facts.version);
    refuseErrors(checkPublication(publication, settings.name));
    const slot = await readSlot(source, settings.slot.name);
    if (slot?.active_pid) {
      const { message, remedy } = new SlotInUseError(slot, settings.slot.name);
      throw new MillraceError('bad_source', message, { remedy });
    }
    // What a slot of before has kept was captured by triggers.
    const wanted = { settings: settings.slot, version: facts.version, gapAccepted: true, skipOlder: true };
    await ensureSlot(source, wanted);
    const looked = await this.#looked(source);
    return { ...looked, xid: await ownXid(source) };
  }

  async #readPublication(source: Database, version: number) {
    const wanted = wantedPublication(this.#database.settings, this.#database.sinks);
    const publication = await readPublication(source, wanted.name, version);
    if (!publication) {
      const missing = publicationMissing(wanted.name, await publicationSql(source, wanted, version));
      throw new MillraceError('bad_source', missing.summary, { remedy: repairText(missing) });
    }
    const listed = (await readTables(source, wanted.name)).filter(({ published }) => published);
    return { publication, tables: listed.map(({ oid }) => oid).toSorted((a, b) => a - b) };
  }

  /** @throws MillraceError when slot or publication is not what it has to be. */
  async #looked(source: Database): Promise<Omit<Ready, 'xid'>> {
    const { settings } = this.#database;
    const facts = await readSource(source, () => identifySystem(this.#deps.options));
    const { publication, tables } = await this.#readPublication(source, facts.version);
    refuseErrors(checkPublication(publication, settings.name));
    const slot = await readSlot(source, settings.slot.name);
    if (!slot?.confirmed_flush_lsn || slot.wal_status === 'lost' || slot.active_pid !== null)
      throw new MillraceError('bad_source', `replication slot ${settings.slot.name} is gone, lost or in use`);
    const { systemIdentifier, timeline, databaseOid } = facts;
    return {
      identity: {
        systemIdentifier,
        timeline,
        databaseOid,
        slotName: settings.slot.name,
        publicationOid: publication.oid,
      },
      tables: tables.join(),
      confirmedLsn: slot.confirmed_flush_lsn,
    };
  }
}

const withoutXid = ({ xid: _, ...rest }: Ready): Omit<Ready, 'xid'> => rest;
