/** Which way a database is captured by now: the declared one, or the one of before until it has gone over. */
import { NOTED } from '../../checks/noted-continuity.ts';
import { readPosition } from '../../messages/position.ts';
import { capturesByTriggers } from '../../model/declared.ts';
import { staleCatalog } from '../../model/sqlstate.ts';
import type { CapturedDatabase, Way } from '../method.ts';
import { GapError, type Prepared } from '../replication/prepare.ts';
import { openReplication, type WayDeps } from '../replication/way.ts';
import { openTriggers } from '../triggers/way.ts';
import { clearingBehind } from './clear.ts';
import { readCut } from './cut.ts';
import { openToReplication } from './to-replication.ts';
import { openToTriggers } from './to-triggers.ts';

export async function openWay(deps: WayDeps, database: CapturedDatabase): Promise<Way> {
  const slotName = await readSlotName(deps, database);
  const way = await wayFrom(deps, database, slotName);
  /** What another capture left when it went over meanwhile is no gap. */
  const judged = async (look: Promise<Prepared>): Promise<Prepared> => {
    try {
      return await look;
    } catch (error) {
      if (!(error instanceof GapError)) throw error;
      const now = await readSlotName(deps, database);
      throw now === slotName || now === way.slotName ? error : staleCatalog();
    }
  };
  return { ...way, prepare: () => judged(way.prepare()), check: (now) => judged(way.check(now)) };
}

const readSlotName = async ({ messages }: WayDeps, { no }: CapturedDatabase): Promise<string | undefined> =>
  (await readPosition(messages, no))?.identity?.slotName;

async function wayFrom(deps: WayDeps, database: CapturedDatabase, slotName: string | undefined): Promise<Way> {
  const toTriggers = capturesByTriggers(database.settings);
  if (slotName === undefined) return toTriggers ? openTriggers(deps, database) : openReplication(deps, database);
  if (slotName === NOTED) return toTriggers ? openTriggers(deps, database) : openToReplication(deps, database);
  // Something may be left out by a cut already: then it is gone over first, whatever is declared by now.
  const isCut = (await readCut(deps.messages, database.no))?.way === 'triggers';
  return toTriggers || isCut
    ? openToTriggers(deps, database, slotName)
    : clearingBehind(openReplication(deps, database), deps, database);
}
