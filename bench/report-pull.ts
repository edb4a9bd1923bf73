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
  const sql = ['sql', 'sql-at-once'] as const;
  const http = ['http', 'http-at-once'] as const;
  const overSql = PULL_BATCHES.map((batch) => [
    figure(batch),
    figure(speed(batch, 'reference')),
    ...sql.map((way) => figure(speed(batch, way))),
    ...sql.map((way) => figure(speed(batch, way) / speed(batch, 'reference'))),
  ]);
  const overHttp = PULL_BATCHES.map((batch) => [
    figure(batch),
    figure(speed(batch, 'http-reference')),
    ...http.map((way) => figure(speed(batch, way))),
    ...http.map((way) => figure(speed(batch, way) / speed(batch, 'http-reference'))),
    ...http.map((way) => figure(speed(batch, way) / speed(batch, 'reference'))),
  ]);
  const used = PULL_BATCHES.map((batch) => [
    figure(batch),
    ...(['reference', ...sql, 'http-reference', ...http] as const).map((way) => cpu(batch, way)),
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
    `Receive and acknowledge, ${PULL_CLIENTS} clients, rows of one key each and about 500 bytes, order kept. Reference: the same messages, finished, leased by\n\`update ... for update skip locked\` and deleted, without any order; over HTTP by an express server that\nasks a pool. "At once": one call that acknowledges the batch before and receives the next one\n(\`millrace.ack_and_receive\`; \`ack_ids\` in \`receive\`).`,
    'Over SQL:',
    table(['batch', 'reference/s', 'two calls/s', 'at once/s', 'ratio: two calls', 'at once'], overSql),
    'Over HTTP:',
    table(
      [
        ...['batch', 'reference/s', 'two calls/s', 'at once/s', 'ratio: two calls', 'at once'],
        ...['of the reference over SQL: two calls', 'at once'],
      ],
      overHttp,
    ),
    'CPU of Postgres, microseconds a message:',
    table(['batch', 'SQL: reference', 'two calls', 'at once', 'HTTP: reference', 'two calls', 'at once'], used),
    `${MANY_CLIENTS} clients of one consumer over HTTP: receive and ack, and receive alone, with the \`ack_ids\` of the batch before.`,
    table(
      ['batch', 'receive, ack/s', 'p99 ms', 'Postgres CPU us', 'receive with ack_ids/s', 'p99 ms', 'Postgres CPU us'],
      many,
    ),
  ].join('\n\n');
}
