/**
 * Measured rounds -> the text of RESULTS.md: each figure is the median of its rounds, beside what it is compared with. What
 * was not measured this time keeps its section of the time before.
 */
import os from 'node:os';
import type { Backfill, BackfillRound } from './backfill.ts';
import type { CatalogChanges } from './catalog-changes.ts';
import type { ChangeTable } from './change-table.ts';
import type { Console } from './console.ts';
import type { CountersCost } from './counters.ts';
import type { Curve } from './curves.ts';
import type { Drain } from './drain.ts';
import type { Fairness } from './fairness.ts';
import { figure, medianOf, table } from './figures.ts';
import type { Growth, GrowthLine, GrowthRound } from './growth.ts';
import type { LatencyRound } from './latency.ts';
import type { Looking } from './looking.ts';
import type { MessagesList } from './messages-list.ts';
import type { PullRound } from './pull.ts';
import { consoleText, countersText, messagesText } from './report-console.ts';
import { curvesText } from './report-curves.ts';
import { drainText, shapingText } from './report-drain.ts';
import { pullText } from './report-pull.ts';
import { lookingText, writePathText } from './report-triggers.ts';
import { catalogText, fairnessText } from './report-waits.ts';
import { webhookText } from './report-webhook.ts';
import { SERVER_SETTINGS } from './server.ts';
import type { Shaping } from './shaping.ts';
import { TEXT_KILOBYTES, type TextCost } from './texts.ts';
import type { Webhook } from './webhook.ts';
import type { WritePath } from './write-path.ts';

export interface Results {
  /** Of the last minute before it began: what others did on this machine. */
  loadBefore: number;
  server: { version: string; inMemory: boolean } | undefined;
  drain?: Drain;
  shaping?: Shaping;
  webhook?: Webhook;
  changeTable?: ChangeTable;
  latency?: { rate: number; seconds: number; rounds: LatencyRound[] };
  pull?: readonly PullRound[];
  growth?: Growth;
  backfill?: Backfill;
  fairness?: Fairness;
  catalog?: CatalogChanges;
  texts?: readonly TextCost[];
  console?: Console;
  messages?: MessagesList;
  counters?: CountersCost;
  writePath?: WritePath;
  looking?: Looking;
  curves?: readonly Curve[];
}

const MB = 1024 * 1024;

/** `before`: the text of the run before. */
export function report(results: Results, { at, before }: { at: Date; before: string }): string {
  const measured = [
    ...(results.drain ? [drainText(results.drain)] : []),
    ...(results.shaping ? [shapingText(results.shaping)] : []),
    ...(results.webhook ? [webhookText(results.webhook)] : []),
    ...(results.changeTable ? [changeTableText(results.changeTable)] : []),
    ...(results.latency ? [latencyText(results.latency)] : []),
    ...(results.pull ? [pullText(results.pull)] : []),
    ...(results.growth ? [growthText(results.growth)] : []),
    ...(results.backfill ? [backfillText(results.backfill)] : []),
    ...(results.fairness ? [fairnessText(results.fairness)] : []),
    ...(results.catalog ? [catalogText(results.catalog)] : []),
    ...(results.texts ? [textsText(results.texts)] : []),
    ...(results.console ? [consoleText(results.console)] : []),
    ...(results.messages ? [messagesText(results.messages)] : []),
    ...(results.counters ? [countersText(results.counters)] : []),
    ...(results.writePath ? [writePathText(results.writePath)] : []),
    ...(results.looking ? [lookingText(results.looking)] : []),
    ...(results.curves ? [curvesText(results.curves)] : []),
  ].map((section) => `${section}\n\n${machine(results, at)}`);
  return [HEAD, ...withSections(before, measured), PEERS, ''].join('\n\n');
}

const HEAD =
  '# Benchmarks\n\nWritten by `npm run bench`; nobody edits it by hand. Every figure is the median of its rounds. Compare within one table\n' +
  'only: absolute figures vary by a quarter between runs, and more between machines. Each section says when and where.';
const ORDER = [
  'Drain',
  'Transform',
  'Webhook',
  'Change table',
  'Latency',
  'Pull',
  'Growth',
  'Backfill',
  'Fairness',
  'Catalog changes',
  'Texts',
  'Console',
  'Messages',
  'Counters',
  'Triggers',
  'Looking for noted changes',
  'Curves',
];

/** The sections of a text, with those replaced that there are new ones for, in their order. */
export function withSections(before: string, fresh: readonly string[]): string[] {
  const titleOf = (section: string): string => section.slice(0, section.indexOf('\n')).trim();
  const known = before
    .split(/^## /m)
    .slice(1)
    .map((section) => section.trim());
  return ORDER.flatMap((title) => {
    const now = fresh.find((section) => titleOf(section) === `## ${title}`);
    const old = known.find((section) => titleOf(section) === title);
    return now ?? (old === undefined ? [] : `## ${old}`);
  });
}

function machine({ server, loadBefore }: Results, at: Date): string {
  const cpus = os.cpus();
  const lines = [
    `${at.toISOString().slice(0, 10)}; ${cpus.length} cores (${cpus[0]?.model.trim() ?? 'unknown'}), ${figure(os.totalmem() / MB / 1024)} GB; Node ${process.versions.node}${server ? `; Postgres ${server.version}` : ''}.`,
    ...(server === undefined
      ? []
      : [
          `One embedded server is source and message database at once, its data ${server.inMemory ? 'in memory (/dev/shm)' : 'on disk'}; ${SERVER_SETTINGS}; everything else as it comes.`,
        ]),
    `${server ? 'Roles, receiver and driver share the machine with it. ' : ''}Load average before the run: ${loadBefore.toFixed(1)}.`,
  ];
  return lines.join('\n');
}

function changeTableText({ changes, rounds }: ChangeTable): string {
  return [
    '## Change table',
    `The same ${figure(changes)} changes, until all are entries of a change table in the message database; capture is part of it. Reference: COPY\nof these entries from a file into a table like it, by Postgres itself. Median of ${rounds.length}.`,
    table(
      ['', 'entries/s', 'ratio'],
      [
        ['COPY', figure(medianOf(rounds, (round) => round.copyPerSecond)), '1'],
        [
          'Millrace: capture, message table, worker, change table',
          figure(medianOf(rounds, (round) => round.perSecond)),
          figure(medianOf(rounds, (round) => round.perSecond / round.copyPerSecond)),
        ],
      ],
    ),
  ].join('\n\n');
}

function latencyText({ rate, seconds, rounds }: NonNullable<Results['latency']>): string {
  const middle = (pick: (round: LatencyRound) => number | undefined): number => medianOf(rounds, pick);
  const row = [
    'insert sent to bulk request arrived',
    figure(middle((round) => round.p50Ms)),
    figure(middle((round) => round.p99Ms)),
    figure(middle((round) => round.rate)),
    figure((middle((round) => round.rolesCpu) * 1e6) / (rate * seconds)),
    figure(middle((round) => round.peakRssBytes) / MB),
  ];
  return [
    '## Latency',
    `${figure(rate)} single-row transactions a second for ${seconds} s, after a warm-up. Median of ${rounds.length}. Insert and commit are part of it.`,
    table(['', 'p50 ms', 'p99 ms', 'transactions/s', 'CPU us a change: roles', 'peak RSS, MB'], [row]),
  ].join('\n\n');
}

function growthText({ lines, views, pending }: Growth): string {
  const row = ({ what, rounds }: GrowthLine): string[] => {
    const both = (pick: (round: GrowthRound) => number): string[] => [
      figure(medianOf(rounds, ({ ours }) => pick(ours))),
      figure(medianOf(rounds, ({ ours, control }) => pick(ours) / pick(control))),
    ];
    return [
      what,
      ...both((round) => round.receivePerSecond),
      ...both((round) => round.receiveP99Ms),
      ...both((round) => round.appendPerSecond),
      ...both((round) => round.appendP99Ms),
    ];
  };
  const head = ['', 'received/s', 'ratio', 'p99 ms', 'ratio', 'appended/s', 'ratio', 'p99 ms', 'ratio'];
  return [
    '## Growth',
    'One consumer receives and acknowledges, 4 clients, batches of 100, order kept; capture appends 500 rows of about 500 bytes a\n' +
      'transaction. Ratio: of a round in a database where there is nothing else, right before. What slows neither has about 1.',
    table(head, lines.map(row)),
    `Looking at it, with ${figure(pending)} messages pending:`,
    table(
      ['', 'ms'],
      views.map(({ what, ms }) => [what, figure(ms)]),
    ),
  ].join('\n\n');
}

const withWalsender = ({ serverCpu, walsenderCpu }: BackfillRound['drained']): number | undefined =>
  serverCpu === undefined || walsenderCpu === undefined ? undefined : serverCpu + walsenderCpu;

function backfillText({ rows, bytes, tables, rounds }: Backfill): string {
  const middle = (pick: (round: BackfillRound) => number | undefined): number => medianOf(rounds, pick);
  const micros = (seconds: number): string => figure((seconds * 1e6) / rows);
  const copy = [
    '`copy ... to stdout`, one connection',
    figure(middle((round) => round.copyPerSecond)),
    ...['1', '–', '–', '–', '–'],
  ];
  const drained = [
    'Millrace: their inserts drained from the WAL',
    figure(middle((round) => round.drained.perSecond)),
    figure(middle((round) => round.drained.perSecond / round.copyPerSecond)),
    '1',
    micros(middle((round) => round.drained.rolesCpu)),
    micros(middle((round) => withWalsender(round.drained))),
    figure(middle((round) => round.drained.peakRssBytes) / MB),
  ];
  const read = [
    'Millrace: backfilled, read and in the message table',
    figure(middle((round) => round.readPerSecond)),
    figure(middle((round) => round.readPerSecond / round.copyPerSecond)),
    ...['–', '–', '–', '–'],
  ];
  const ours = [
    'Millrace: backfilled, until the last one arrived by `_bulk`',
    figure(middle((round) => round.perSecond)),
    figure(middle((round) => round.perSecond / round.copyPerSecond)),
    figure(middle((round) => round.perSecond / round.drained.perSecond)),
    micros(middle((round) => round.rolesCpu)),
    micros(middle((round) => round.serverCpu)),
    figure(middle((round) => round.peakRssBytes) / MB),
  ];
  const head = ['', 'rows/s', 'of copy', 'of the drain', 'CPU us a row: roles', 'Postgres', 'peak RSS, MB'];
  return [
    '## Backfill',
    `The sample database (bench/sample): ${figure(rows)} rows of ${tables} tables, ${figure(bytes / MB)} MB as text, from \`millrace.backfill('bench')\` on. Median of ${rounds.length}.`,
    table(head, [copy, drained, read, ours]),
  ].join('\n\n');
}

/** Measured once on another machine (2 cores, Postgres 15 in memory), quoted for their ratios; not run here. */
const PEERS = [
  '## Quoted, not run here',
  'The same drain and the same rate on 2 cores with Postgres 15 in memory, August 2026. Neither keeps the changes durably of its own.',
  table(
    ['', 'changes/s', 'of the limit', 'CPU us a change', 'peak RSS, MB', 'p50 ms', 'p99 ms'],
    [
      ['`pg_recvlogical -f /dev/null`', '129,000-150,000', '1', '–', '–', '–', '–'],
      ['Debezium Server 3.6, HTTP batches of 1,000', '26,600-31,400', '0.20', '72-82', '759-825', '9', '19'],
      ['pgstream, search target, batches of 1,000', '37,400-44,900', '0.28', '38-44', '164-169', '27', '51'],
    ],
  ),
].join('\n\n');

function textsText(costs: readonly TextCost[]): string {
  const head = ['text', ...TEXT_KILOBYTES.map((size) => (size < 1024 ? `${size} KB` : `${size / 1024} MB`))];
  const rows = costs.map(({ what, costs: line }) => [what, ...line.map(figure)]);
  return (
    '## Texts\n\nMicroseconds a kilobyte of texts that others write, made so that a careless reader would look at them again and again. ' +
    'The same\nfor each length: the time grows with the length, and no faster.\n\n' +
    table(head, rows)
  );
}
