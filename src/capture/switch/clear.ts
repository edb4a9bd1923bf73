/**
 * Capture by replication behind a switch: the triggers of before are removed, table by table, at the regular checks. A switch back
 * makes them anew. It may begin at any time, by another process too, so whoever removes has the turn of the reader of notes, for which a
 * switch waits, and looks under it whether he is the one that streams.
 */
import type { Finding } from '../../checks/finding.ts';
import { checkLeftTriggers, checkUnremoved } from '../../checks/triggers.ts';
import { statement } from '../../db/statement.ts';
import { messageOf } from '../../model/errors.ts';
import { isUnanswered } from '../../model/sqlstate.ts';
import { readFunctions, removeLeft } from '../../source/triggers/left.ts';
import type { CapturedDatabase, Way } from '../method.ts';
import type { WayDeps } from '../replication/way.ts';
import { readCut } from './cut.ts';

const GENERATION = statement('capture/generation');

export function clearingBehind(way: Way, { source, messages, log, beside }: WayDeps, { no }: CapturedDatabase): Way {
  let generation: number | undefined;
  const isStreaming = async (): Promise<boolean> => {
    const { rows } = await messages.query<{ generation: number }>(GENERATION, [no]);
    return generation !== undefined && rows[0]?.generation === generation;
  };
  /** What still notes changes for nobody. */
  const left = async (): Promise<Finding[]> => {
    if ((await readCut(messages, no))?.way !== 'replication') return [];
    try {
      const functions = await removeLeft(source, { beside, mayRemove: isStreaming });
      return functions.length === 0 ? [] : checkLeftTriggers({ hasSchema: true, functions, isRead: false });
    } catch (error) {
      if (isUnanswered(error)) throw error;
      log.warn({ err: error }, 'the triggers of before cannot be removed');
      return [checkUnremoved(messageOf(error), await readFunctions(source))];
    }
  };
  return {
    ...way,
    async between(session, from) {
      generation = from.generation;
      return way.between ? await way.between(session, from) : session;
    },
    async check(now) {
      const prepared = await way.check(now);
      return { ...prepared, warnings: [...prepared.warnings, ...(await left())] };
    },
  };
}
