/** A resync on a screen: what is asked, what it waits for, and what is left to do by hand. */
import {
  type ResyncAsked,
  type ResyncDeps,
  type ResyncRequest,
  type ResyncStep,
  resync,
  type Undelivered,
} from '../admin/resync.ts';
import { count } from '../model/quantity.ts';
import type { Screen } from './screen.ts';
import { isAgreed, type Person } from './terminal.ts';
import { linesOf, tellEnd } from './watch-backfills.ts';

/** `refused`: the answer was no, and nothing was done. @throws MillraceError not_found, bad_request. */
export async function showResync(
  { screen, ask, ...deps }: Omit<ResyncDeps, 'agree' | 'onStep'> & Pick<Person, 'ask'> & { screen: Screen },
  { yes, ...request }: ResyncRequest & { yes: boolean },
  signal: AbortSignal,
): Promise<'done' | 'failed' | 'left' | 'refused'> {
  const agree = async ({ database, reason, rowsTo }: ResyncAsked): Promise<boolean> => {
    if (reason !== null) screen.say(`${database}: ${reason}`);
    const sent = rowsTo.length === 0 ? '' : `, and all rows are sent to: ${rowsTo.join(', ')}`;
    screen.say(`Capture starts again from now on${sent}.`);
    if (yes) return true;
    return await isAgreed({ ask }, 'Begin? [y/N] ', {
      message: `nobody can be asked whether ${database} may be sent again`,
      remedy: `bin/millrace resync ${database} --yes`,
    });
  };
  const ended = await resync({ ...deps, agree, onStep: (step) => showStep(screen, step) }, request, signal);
  screen.end();
  if (ended === 'refused') screen.say('Nothing was done.');
  return ended;
}

function showStep(screen: Screen, step: ResyncStep): void {
  if (step.step === 'found') screen.say(`A resync of ${step.database} is under way.`);
  else if (step.step === 'waiting') screen.show([waitingText(step)]);
  else if (step.step === 'streaming') {
    screen.show([]);
    screen.say(`${step.database} is captured again.`);
  } else if (step.step === 'filling') screen.show(linesOf(step.look));
  else if (step.step === 'filled') tellEnd(screen, step.watched);
  else if (step.step === 'delivering') screen.show(step.sinks.map(undeliveredText));
  else screen.say(`${step.sink}: ${ENDS[step.step](step.sink)}`);
}

function waitingText({ database, state, why }: { database: string; state: string | null; why: string }): string {
  return `waiting for capture of ${database}: ${state ?? 'not there'}${why === '' ? '' : `: ${why}`}`;
}

const ENDS = {
  changes_lost: () => 'the changes of the gap cannot be had.',
  left_to_clients: () => 'its rows are read as its clients take them (bin/millrace backfills list).',
  verifying: () => 'looked through for documents of rows that are gone',
  not_verified: (sink: string) => `documents of rows that are gone may be left: bin/millrace verify ${sink} --repair`,
};

function undeliveredText({ sink, waiting, isMore, circuit, error }: Undelivered): string {
  const why = circuit === null ? '' : `: ${circuit}${error === null ? '' : `, ${error}`}`;
  return `${sink}: ${isMore ? 'more than ' : ''}${count(waiting)} messages to deliver${why}`;
}
