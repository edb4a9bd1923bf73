/** The sections about what watching costs: a console, and counters. */
import { type Console, TABS } from './console.ts';
import type { CountersCost } from './counters.ts';
import { figure, medianOf, quantile, table } from './figures.ts';
import type { MessagesList } from './messages-list.ts';

export function consoleText({ pending, firstPageMs, overview, pull, drain }: Console): string {
  const answered = [
    [
      '`/` drawn in Chromium, all hundred sinks, nothing cached',
      firstPageMs ? figure(quantile(firstPageMs, 0.5)) : '–',
    ],
    ['overview read', figure(medianOf(overview, ({ snapshotMs }) => snapshotMs))],
    ['overview answered', figure(medianOf(overview, ({ answerMs }) => answerMs))],
    ['pull alone, p99', figure(medianOf(pull, ({ aloneP99Ms }) => aloneP99Ms))],
    ['pull beside the console, p99', figure(medianOf(pull, ({ besideP99Ms }) => besideP99Ms))],
    ['ratio of the two', figure(medianOf(pull, ({ aloneP99Ms, besideP99Ms }) => besideP99Ms / aloneP99Ms))],
  ];
  const speeds = [
    ['pull', pull],
    ['drain', drain],
  ] as const;
  return [
    '## Console',
    `A hundred sinks of a database with a thousand tables, in which ${figure(pending)} messages wait: the overview when it is read, and when it is asked for over HTTP again (9 of 10);\nand receive with acknowledgement of 10 messages, by 4 clients, beside ${TABS} tabs that poll. Median of ${overview.length}.`,
    table(['', 'ms, or ratio'], answered),
    `The answer has ${figure(medianOf(overview, ({ bytes }) => bytes))} bytes. Messages a second, of the same pull, and of a drain into one search index:`,
    table(
      ['', 'alone', 'beside the console', 'ratio'],
      speeds.map(([what, rounds]) => [
        what,
        figure(medianOf<Speeds>(rounds, ({ alonePerSecond }) => alonePerSecond)),
        figure(medianOf<Speeds>(rounds, ({ besidePerSecond }) => besidePerSecond)),
        figure(medianOf<Speeds>(rounds, ({ alonePerSecond, besidePerSecond }) => besidePerSecond / alonePerSecond)),
      ]),
    ),
  ].join('\n\n');
}

export function messagesText({ pending, rounds }: MessagesList): string {
  return [
    '## Messages',
    `The list of a sink's messages: ${figure(pending)} of one search index, a fifth of them parked; milliseconds of the statement, 20 times each, and of CPU in the database.`,
    table(
      ['', 'p50', 'p95', 'CPU'],
      rounds.map(({ what, p50Ms, p95Ms, cpuMs }) => [what, figure(p50Ms), figure(p95Ms), figure(cpuMs)]),
    ),
  ].join('\n\n');
}

type Speeds = Console['drain'][number];

export function countersText({ changes, rounds }: CountersCost): string {
  type Round = CountersCost['rounds'][number];
  const row = (what: string, of: (round: Round) => Round['without']): string[] => [
    what,
    figure(medianOf(rounds, (round) => of(round).perSecond)),
    figure(medianOf(rounds, (round) => of(round).perSecond / round.without.perSecond)),
    figure((medianOf(rounds, (round) => of(round).rolesCpu) * 1e6) / changes),
  ];
  return [
    '## Counters',
    `The same ${figure(changes)} changes drained by roles that count nothing, and as roles are, by turns. Median of ${rounds.length}.`,
    table(
      ['', 'changes/s', 'ratio', 'CPU us a change: roles'],
      [row('without', ({ without }) => without), row('counted', ({ counted }) => counted)],
    ),
  ].join('\n\n');
}
