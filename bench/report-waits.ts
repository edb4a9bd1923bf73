/** The sections about how long changes wait, beside what should not matter to them. */
import type { CatalogChanges, CatalogRound } from './catalog-changes.ts';
import type { Fairness, FairnessRound } from './fairness.ts';
import { figure, medianOf, table } from './figures.ts';

export function fairnessText({ rate, seconds, pending, rounds }: Fairness): string {
  const middle = (pick: (round: FairnessRound) => number): number => medianOf(rounds, pick);
  return [
    '## Fairness',
    `Twenty search sinks, a table each, ${figure(rate)} single-row transactions a second over all tables, for ${seconds} s: from the insert to its bulk\nrequest, of the seventeen that are well. Beside: one refuses connections, one answers after 3 s, one has ${figure(pending)} messages pending\nand sends ${figure(middle((round) => round.drained / seconds))} a second of them. Median of ${rounds.length}.`,
    waitsTable(rounds, [
      ['those three paused', ({ alone }) => alone],
      ['those three at it', ({ beside }) => beside],
    ]),
  ].join('\n\n');
}

export function catalogText({ rate, seconds, rounds }: CatalogChanges): string {
  const changes = medianOf(rounds, (round) => round.changes / seconds);
  return [
    '## Catalog changes',
    `Two search sinks of one table, ${figure(rate)} single-row transactions a second for ${seconds} s: from the insert to its bulk request, of the one\nsink, while the other is left alone, and while it is paused, resumed and edited ${figure(changes)} times a second. Median of ${rounds.length}.`,
    waitsTable(rounds, [
      ['the catalog at rest', ({ atRest }: CatalogRound) => atRest],
      ['it changes all the time', ({ changing }: CatalogRound) => changing],
    ]),
  ].join('\n\n');
}

/** Each way's waits beside those of the first. */
function waitsTable<Round>(
  rounds: readonly Round[],
  ways: readonly [what: string, of: (round: Round) => { p50Ms: number; p99Ms: number }][],
): string {
  const first = ways[0]![1];
  const rows = ways.map(([what, of]) => [
    what,
    figure(medianOf(rounds, (round) => of(round).p50Ms)),
    figure(medianOf(rounds, (round) => of(round).p50Ms / first(round).p50Ms)),
    figure(medianOf(rounds, (round) => of(round).p99Ms)),
    figure(medianOf(rounds, (round) => of(round).p99Ms / first(round).p99Ms)),
  ]);
  return table(['', 'p50 ms', 'ratio', 'p99 ms', 'ratio'], rows);
}
