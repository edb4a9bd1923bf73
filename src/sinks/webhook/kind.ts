/** A webhook: a request for each message, or for some together, in the order of groups. */
import { originOf } from '../../model/origin.ts';
import type { SinkKind } from '../contract.ts';
import type { WebhookDestination } from './section.ts';

export const webhook: SinkKind<WebhookDestination> = {
  type: 'webhook',
  names: ['webhook', 'http_push'],
  title: 'a webhook',
  traits: { receivable: false, replaces: false, order: 'group', takesRows: true, readable: false },
  lanes: 1,
  section: async () => (await import('./section.ts')).webhookSection,
  async open({ settings: { destination, transform }, secret, reach }) {
    const { openWebhookSink } = await import('./sink.ts');
    return openWebhookSink({ destination, secret: secret(), transformed: transform !== null, reach });
  },
  async tryOut({ settings: { destination }, secret, reach }, _given, signal) {
    const { tryOut } = await import('./try-out.ts');
    return await tryOut({ destination, secret: secret(), reach }, signal);
  },
  server: ({ url }) => originOf(url),
};
