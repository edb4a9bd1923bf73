/** What is said of a source: what was found there just now, and what is stored of its state. */
import { byHand, byStarting, type Finding, inSource, passed, type Repair } from '../../checks/finding.ts';
import { resyncing } from '../../checks/resyncing.ts';
import type { ListedDatabase } from '../list-databases.ts';
import type { SourceLook } from './parts-of-source.ts';

/** What capture says of its state counts where our own look was not made, or found nothing of that kind. */
export function sourceFindings(database: ListedDatabase, look: SourceLook | undefined): Finding[] {
  const { state, reason, reasons, level } = database;
  const found = look?.findings ?? [];
  const isLookedAt = look !== undefined && !found.some(({ status }) => status === 'skipped');
  const isWrong = found.some(({ status }) => status === 'error') || look?.tables?.some(({ id }) => id === state);
  const isKnown = isWrong || (isLookedAt && state === 'streaming');
  if (isKnown || state === null || level === 'ok' || state === 'unknown')
    return found.length > 0 ? found : [passed('source', `its state is ${state ?? 'that no sink reads from it'}`)];
  const stored = {
    id: reasons[0] ?? state,
    status: level === 'failing' ? 'error' : 'warning',
    summary: reason ?? state,
  } as const;
  return [{ ...stored, ...repairOf(database) }, ...found.filter(({ status }) => status !== 'ok')];
}

function repairOf({ name, state, reasons, remedy }: ListedDatabase): Repair {
  if (state === 'needs_resync') return resyncing(name);
  if (state === 'table_detached' && remedy !== null) return inSource(remedy);
  return reasons[0] === 'no_capture' ? byStarting('capture') : byHand(remedy ?? 'See the log of capture.');
}
