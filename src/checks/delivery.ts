/** What is known of a sink's delivery: from the reasons of its health, which the message database decides, and its notices. */
import { quoteLiteral } from '../model/quote.ts';
import { checkCircuit } from './circuit.ts';
import {
  type Answered,
  byCommand,
  byHand,
  byStarting,
  type Finding,
  fault,
  inDestination,
  inMessages,
  inSource,
  notice,
  passed,
  type Repair,
  warning,
} from './finding.ts';
import { RENEWAL_REFUSED } from './triggers.ts';

export interface DeliveryFacts {
  name: string;
  status: string;
  /** Why somebody paused or disabled it. */
  status_reason: string | null;
  /** Codes of all that is known to be wrong, the worst first. */
  reasons: readonly string[];
  pending: number;
  parked: number;
  /** Of them those on which a function failed. */
  faulty: number;
  /** Age of its oldest message; null: there is none. */
  oldest_seconds: number | null;
  /** The destination's own words. */
  error: string | null;
  /** Its circuit is open. */
  isFailing: boolean;
  /** Clients receive from it. */
  isPulled: boolean;
  notices: readonly { code: string; table: string | null; message: string; remedy: string | null }[];
}

type Said = (facts: DeliveryFacts) => Finding | Answered;

/** By reason of its health. What is said elsewhere (its source, the processes) is null. */
const REASONS: Record<string, Said | null> = {
  source_error: null,
  source_needs_resync: null,
  source_standby: null,
  source_unknown: null,
  no_worker: null,
  paused,
  disabled: ({ name, status_reason }) =>
    notice(
      'disabled',
      `somebody disabled it: nothing is kept for it${because(status_reason)}`,
      inMessages(`select millrace.resume(${quoteLiteral(name)})`),
    ),
  routed_index_failing: ({ error }) => ({
    ...fault(
      'routed_index_failing',
      'an index that a routing function named is missing or refuses; its messages wait, the others go on',
      byHand('Create the index that the answer names, or correct the function.'),
    ),
    answer: error,
  }),
  not_worked_on: () =>
    fault(
      'not_worked_on',
      'workers run, but none has taken one of its lanes for 30 s',
      byCommand(
        ['start', 'worker'],
        (command) => `Start another worker: \`${command}\`; or see the log of those that run.`,
      ),
    ),
  nobody_receives: ({ name }) =>
    warning(
      'nobody_receives',
      'messages have waited for an hour, and nobody has received any in that time',
      byHand(`Start its client, or set \`status: disabled\` in the entry of ${name}.`),
    ),
  behind: ({ name, pending, isPulled }) =>
    warning(
      'behind',
      `delivery is more than a minute behind: ${pending === 1 ? '1 message is' : `${pending} messages are`} pending`,
      byHand(
        isPulled
          ? 'Start its client, or more of them. The page of the sink says who received last, and has a command that receives some.'
          : `Start another worker, or send larger batches. Column \`error\` of \`millrace.pending_messages\` says why a message fails (sink_name ${name}).`,
      ),
    ),
  parked: ({ name, parked }) =>
    warning(
      'parked',
      parked === 1 ? '1 message is parked and not tried again' : `${parked} messages are parked and not tried again`,
      inMessages(
        `select millrace.retry(${quoteLiteral(name)}, array(select id from millrace.parked_messages where sink_name = ${quoteLiteral(name)}))`,
        'correct the cause first: column `error` of `millrace.parked_messages` says what it is. To drop the messages instead, call `millrace.discard` with the same arguments',
      ),
    ),
};

/** Notices whose remedy is a statement for the source. */
const IN_SOURCE: ReadonlySet<string> = new Set([
  'no_old_values',
  'filter_needs_identity',
  'function_needs_identity',
  RENEWAL_REFUSED,
]);

/** The same for the database of a change table. */
const IN_DESTINATION: ReadonlySet<string> = new Set([
  'serial_ends',
  'partition_missing',
  'unlogged',
  'annotations_not_kept',
]);

const DAY_SECONDS = 86_400;

/** Behind a sentence. */
const because = (reason: string | null): string => (reason === null ? '' : `. The reason given: ${reason}`);

function paused({ name, pending, oldest_seconds, status_reason }: DeliveryFacts): Finding {
  const resume = inMessages(`select millrace.resume(${quoteLiteral(name)})`);
  if (pending === 0 || oldest_seconds === null || oldest_seconds < DAY_SECONDS)
    return notice('paused', `delivery is paused: messages wait${because(status_reason)}`, resume);
  const days = Math.floor(oldest_seconds / DAY_SECONDS);
  return warning(
    'paused_long',
    `it is paused with ${pending} messages pending, the oldest for ${days} ${days === 1 ? 'day' : 'days'}${because(status_reason)}`,
    { ...resume, remedy: 'or, if they are not wanted: millrace.discard, or millrace.disable' },
  );
}

const inSourceState = (id: string, what: string): [string, (database: string) => Finding] => [
  id,
  (database) =>
    fault(
      id,
      `nothing new arrives: ${what}`,
      byCommand(
        ['database', 'checks', database],
        (command) => `See what is wrong with database ${database}: ${command}`,
      ),
    ),
];

/** What is said of its source, or of the processes: for whoever looks at the sink alone. */
const ELSEWHERE: ReadonlyMap<string, (database: string) => Finding> = new Map([
  inSourceState('source_error', 'its source cannot be captured'),
  inSourceState('source_needs_resync', 'changes of its source were missed'),
  inSourceState('source_standby', 'somebody else reads the slot of its source'),
  inSourceState('source_unknown', 'no capture process has reported on its source for 15 s'),
  [
    'no_worker',
    () => fault('no_worker', 'no worker has reported for 15 s: nothing is delivered', byStarting('worker')),
  ],
]);

/** All that health says of it, as the message database knows it: also what is no fault of the sink itself. */
export function checkSinkAlone(facts: DeliveryFacts & { database: string }): (Finding | Answered)[] {
  const elsewhere = facts.reasons.flatMap((reason) => ELSEWHERE.get(reason)?.(facts.database) ?? []);
  const own = checkDelivery(facts, { notices: new Set(), destination: undefined });
  return elsewhere.length === 0 ? own : [...elsewhere, ...own.filter(({ status }) => status !== 'ok')];
}

/** What was looked at just now. */
export interface Seen {
  /** Notices of these codes are known anew: what was found before does not count. */
  notices: ReadonlySet<string>;
  /** How its destination is; undefined: it was not looked at. */
  destination: 'well' | 'wrong' | undefined;
}

export function checkDelivery(facts: DeliveryFacts, seen: Seen): (Finding | Answered)[] {
  const notices = new Set(facts.notices.map(({ code }) => code));
  const found = facts.reasons
    .filter((reason) => !notices.has(reason) && !seen.notices.has(reason))
    // While nothing can be delivered, messages wait for that, and no other worker would help.
    .filter((reason) => reason !== 'behind' || !facts.isFailing)
    .flatMap((reason) => {
      const say = REASONS[reason];
      if (say === undefined) return open(reason, facts, seen);
      return say === null ? [] : [say(facts)];
    });
  if (facts.faulty > 0) found.push(faulty(facts));
  found.push(...facts.notices.filter(({ code }) => !seen.notices.has(code)).map(noticed));
  return found.length > 0 ? found : [passed('delivery', `nothing is wrong; ${facts.pending} messages are pending`)];
}

const faulty = ({ faulty: count, name }: DeliveryFacts): Finding =>
  warning(
    'function_faulty',
    `a filter, transform or routing function failed on ${count} of the messages that are parked`,
    byHand(
      `Correct the function, then retry these messages. Column \`error\` of \`millrace.parked_messages\` says what failed, with line and column (sink_name ${name}).`,
    ),
  );

/** An open circuit: health has no other reasons. What the look has found of the destination itself is said already. */
function open(reason: string, { error, isFailing }: DeliveryFacts, { destination }: Seen): Answered[] {
  if (destination === 'wrong') return [];
  const found = checkCircuit({ reason, error: isFailing ? error : null });
  if (destination === undefined) return [found];
  const summary = `${found.summary}, when delivery tried last; asked now it is well, and a worker tries again within 30 s`;
  return [{ ...found, status: 'warning', summary }];
}

function noticed({ code, table, message, remedy }: DeliveryFacts['notices'][number]): Finding {
  const say = code === 'no_old_values' ? notice : warning;
  const found = say(code, message, remedy === null ? NOTHING : remedying(code, remedy));
  return table ? { ...found, item: table } : found;
}

const NOTHING: Repair = { remedy: null, sql: null, runOn: null };

function remedying(code: string, remedy: string): Repair {
  if (IN_SOURCE.has(code)) return inSource(remedy);
  if (IN_DESTINATION.has(code)) return inDestination(remedy);
  return remedy.startsWith('bin/millrace ') ? { ...byHand(remedy), command: remedy } : byHand(remedy);
}
