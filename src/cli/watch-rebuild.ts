/** A rebuild on a screen: its backfill, then what is still to be delivered and why it does not get less. */
import { type Pending, type RebuildDeps, type RebuildOptions, type RebuildStep, rebuild } from '../admin/rebuild.ts';
import type { Watched } from '../admin/watched.ts';
import { count } from '../model/quantity.ts';
import type { Screen } from './screen.ts';
import { linesOf, tellEnd } from './watch-backfills.ts';

const STILL_MS = 15_000;

/** @throws MillraceError when the new index is not ready, or the request makes no sense. */
export async function showRebuild(
  { screen, ...deps }: Omit<RebuildDeps, 'onStep'> & { screen: Screen },
  options: RebuildOptions,
  signal: AbortSignal,
): Promise<Watched['ended']> {
  try {
    const built = await rebuild({ ...deps, onStep: (step) => showStep(screen, step) }, options, signal);
    screen.end();
    const { ended, sink, parked, switchOver } = built;
    if (ended === 'failed') screen.say(`Then run this again: it continues to watch ${sink}.`);
    if (switchOver === null) return ended;
    screen.say(`caught up: what was captured before is in the index${parkedText(sink, parked)}`);
    screen.say(switchOver);
    return ended;
  } finally {
    screen.end();
  }
}

function showStep(screen: Screen, step: RebuildStep): void {
  const { sink } = step;
  if (step.step === 'found') screen.say(`sink ${sink} is there already: watching it`);
  if (step.step === 'made') screen.say(`sink ${sink} is made: it fills ${step.index} beside ${step.beside}`);
  if (step.step === 'filling') screen.show(linesOf(step.look));
  if (step.step === 'filled') tellEnd(screen, step.watched);
  if (step.step === 'delivering') screen.show([`${sink}  ${deliveryText(sink, step.pending)}`]);
}

const parkedText = (sink: string, parked: number): string =>
  parked === 0
    ? ''
    : `, but for ${count(parked)} parked messages: select * from millrace.parked_messages where sink_name = '${sink}'`;

/** What is left, and why it does not get less. */
export function deliveryText(sink: string, { status, left, isMore, reason, error, stillMs }: Pending): string {
  const many = `${count(left)}${isMore ? ' or more' : ''} messages pending`;
  if (status !== 'active') return `${many}; it is ${status}: select millrace.resume('${sink}')`;
  if (reason !== null) return `${many}; it waits, ${reason}: ${error ?? ''}`;
  return stillMs < STILL_MS ? many : `${many}; is \`bin/millrace start\` (or a worker process) running?`;
}
