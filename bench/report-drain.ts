/** The sections about the drain, and about one with a transform. */
import { DEBEZIUM } from './debezium-server.ts';
import type { Drain, DrainRound } from './drain.ts';
import { figure, medianOf, table } from './figures.ts';
import type { Shaping } from './shaping.ts';

const MB = 1024 * 1024;

export function drainText({ limit, changes, rounds }: Drain): string {
  const middle = (pick: (round: DrainRound) => number | undefined): number => medianOf(rounds, pick);
  const micros = (seconds: number): string => figure((seconds * 1e6) / changes);
  const ours = [
    'Millrace: capture, message table, worker, `_bulk` in batches of 1,000',
    figure(middle((round) => round.perSecond)),
    figure(middle((round) => round.perSecond / round.limitPerSecond)),
    micros(middle((round) => round.rolesCpu)),
    micros(middle((round) => round.serverCpu)),
    micros(middle((round) => round.walsenderCpu)),
    figure(middle((round) => round.peakRssBytes) / MB),
  ];
  const reference = [limit, figure(middle((round) => round.limitPerSecond)), '1', '–', '–', '–', '–'];
  const isCompared = rounds.every((round) => round.peer !== undefined);
  const theirs = [
    `Debezium Server ${DEBEZIUM}, HTTP batches of 1,000; keeps none of them`,
    figure(middle((round) => round.peer?.perSecond)),
    figure(middle((round) => round.peer && round.peer.perSecond / round.limitPerSecond)),
    micros(middle((round) => round.peer?.rolesCpu)),
    micros(middle((round) => round.peer?.serverCpu)),
    micros(middle((round) => round.peer?.walsenderCpu)),
    figure(middle((round) => round.peer?.peakRssBytes) / MB),
  ];
  const head = ['', 'changes/s', 'of the limit', 'CPU us a change: roles', 'Postgres', 'walsender', 'peak RSS, MB'];
  return [
    '## Drain',
    `${figure(changes)} changes that are already in the WAL (60 % inserts, 100 a transaction; 30 % updates, 10; 10 % deletes, 1,000; rows of 10\ncolumns, about 500 bytes), until a receiver that parses nothing has all of them. Median of ${rounds.length}.`,
    table(head, [reference, ours, ...(isCompared ? [theirs] : [])]),
  ].join('\n\n');
}

export function shapingText({ changes, rounds }: Shaping): string {
  type Round = Shaping['rounds'][number];
  const row = (what: string, of: (round: Round) => Round['plain']): string[] => [
    what,
    figure(medianOf(rounds, (round) => of(round).perSecond)),
    figure(medianOf(rounds, (round) => of(round).perSecond / round.plain.perSecond)),
    figure((medianOf(rounds, (round) => of(round).rolesCpu) * 1e6) / changes),
    figure(medianOf(rounds, (round) => of(round).peakRssBytes) / MB),
  ];
  return [
    '## Transform',
    `The same ${figure(changes)} changes drained without a transform and with one that builds a document of five fields, by turns.\nMedian of ${rounds.length}. The worker's sandbox is part of the roles.`,
    table(
      ['', 'changes/s', 'ratio', 'CPU us a change: roles', 'peak RSS, MB'],
      [row('without', ({ plain }) => plain), row('with', ({ shaped }) => shaped)],
    ),
  ].join('\n\n');
}
