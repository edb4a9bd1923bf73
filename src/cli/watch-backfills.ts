/** Backfills under way, on a screen. */
import { backfillLines, endLines } from '../admin/operation/backfill-lines.ts';
import { type WatchDeps, type Watched, watchBackfills } from '../admin/watched.ts';
import type { Screen } from './screen.ts';

/** Until all have ended. What failed or was cancelled is said with its remedy. */
export async function showBackfills(
  deps: WatchDeps & { screen: Screen },
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Watched['ended']> {
  const { screen } = deps;
  const watched = await watchBackfills(deps, { ids, onLook: (look) => screen.show(backfillLines(look)) }, signal);
  screen.end();
  for (const line of endLines(watched)) screen.say(line);
  return watched.ended;
}
