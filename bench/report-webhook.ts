/** The section about webhooks. */
import { figure, medianOf, table } from './figures.ts';
import { BATCH_SIZE, PARALLEL, type Webhook, type WebhookWay } from './webhook.ts';

const MB = 1024 * 1024;

export function webhookText({ changes, rounds }: Webhook): string {
  type Round = Webhook['rounds'][number];
  const rows = (what: string, of: (round: Round) => WebhookWay): string[][] => {
    const middle = (pick: (way: WebhookWay) => number | undefined): number =>
      medianOf(rounds, (round) => pick(of(round)));
    return [
      [`${what}: the same requests by undici alone`, figure(middle((way) => way.alonePerSecond)), '1', '–', '–', '–'],
      [
        `${what}: Millrace`,
        figure(middle((way) => way.perSecond)),
        figure(middle((way) => way.perSecond / way.alonePerSecond)),
        figure((middle((way) => way.rolesCpu) * 1e6) / changes),
        figure((middle((way) => way.serverCpu) * 1e6) / changes),
        figure(middle((way) => way.peakRssBytes) / MB),
      ],
    ];
  };
  return [
    '## Webhook',
    `${figure(changes)} of those changes, until an endpoint that parses nothing has all of them over connections that are kept, ${PARALLEL} requests\nunder way. Median of ${rounds.length}.`,
    table(
      ['', 'messages/s', 'ratio', 'CPU us a message: roles', 'Postgres', 'peak RSS, MB'],
      [
        ...rows('one message a request', ({ single }) => single),
        ...rows(`up to ${BATCH_SIZE} a request`, ({ batched }) => batched),
      ],
    ),
  ].join('\n\n');
}
