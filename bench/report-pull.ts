/** The section about receiving and acknowledging. */
import { figure, medianOf, table } from './figures.ts';
import { MANY_CLIENTS, PULL_BATCHES, PULL_CLIENTS, type PullRound, type PullWay, SMALL_BATCHES } from './pull.ts';

export function pullText(rounds: readonly PullRound[]): string {
  const of = (batch: number, way: PullWay, pick: (round: PullRound) => number | undefined): number =>
    medianOf(
      rounds.filter((round) => round.batch === batch && round.way === way),
      pick,
    );
  const speed = (batch: number, way: PullWay): number => of(batch, way, ({ perSecond }) => perSecond);
  const cpu = (batch: number, way: PullWay): string => figure(of(batch, way, ({ serverCpu }) => serverCpu));
  const p99 = (batch: number, way: PullWay): string => figure(of(batch, way, ({ p99Ms }) => p99Ms));
  const ours = ['sql', 'sql-at-once', 'http', 'http-at-once'] as const;
  const few = PULL_BATCHES.map((batch) => [
    figure(batch),
    figure(speed(batch, 'reference')),
    ...ours.map((way) => figure(speed(batch, way))),
    ...ours.map((way) => figure(speed(batch, way) / speed(batch, 'reference'))),
  ]);
  const used = PULL_BATCHES.map((batch) => [
    figure(batch),
    ...(['reference', ...ours] as const).map((way) => cpu(batch, way)),
  ]);
  const many = SMALL_BATCHES.map((batch) => [
    figure(batch),
    ...(['many', 'many-at-once'] as const).flatMap((way) => [
      figure(speed(batch, way)),
      p99(batch, way),
      cpu(batch, way),
    ]),
  ]);
  return [
    '## Pull',
    `Receive and acknowledge, ${PULL_CLIENTS} clients, rows of one key each and about 500 bytes, order kept. Reference: the same messages, finished, leased by\n\`update ... for update skip locked\` and deleted, without any order. "At once": one call that acknowledges the batch before and receives the next one\n(\`millrace.ack_and_receive\`; \`ack_ids\` in \`receive\`).`,
    table(
      [
        ...['batch', 'reference/s', 'SQL/s', 'SQL at once/s', 'HTTP/s', 'HTTP at once/s'],
        ...['SQL ratio', 'SQL at once', 'HTTP ratio', 'HTTP at once'],
      ],
      few,
    ),
    'CPU of Postgres, microseconds a message:',
    table(['batch', 'reference', 'SQL', 'SQL at once', 'HTTP', 'HTTP at once'], used),
    `${MANY_CLIENTS} clients of one consumer over HTTP: receive and ack, and receive alone, with the \`ack_ids\` of the batch before.`,
    table(
      ['batch', 'receive, ack/s', 'p99 ms', 'Postgres CPU us', 'receive with ack_ids/s', 'p99 ms', 'Postgres CPU us'],
      many,
    ),
  ].join('\n\n');
}
