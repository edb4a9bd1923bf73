/** A webhook sink against an address, with short deadlines. */
import type { Sink } from '../../../src/model/sink.ts';
import type { Reach } from '../../../src/runtime/checked-lookup.ts';
import type { WebhookDestination, WebhookSecret } from '../../../src/sinks/webhook/section.ts';
import { openWebhookSink, type WebhookSinkOptions } from '../../../src/sinks/webhook/sink.ts';

export function webhookDestination(url: string, changed: Partial<WebhookDestination> = {}): WebhookDestination {
  return {
    type: 'webhook',
    url,
    method: 'POST',
    headers: {},
    batch: false,
    batch_size: 100,
    timeout_ms: 5_000,
    parallel: 4,
    tls: { ca: null, verify: true },
    ...changed,
  };
}

export interface OpenOptions extends WebhookSinkOptions, Partial<WebhookSecret> {
  transformed?: boolean;
  reach?: Reach;
}

export function openTestWebhookSink(destination: WebhookDestination, options: OpenOptions = {}): Sink {
  const { transformed = false, reach, encrypted_headers = {}, signing_secrets = [], ...rest } = options;
  const secret = JSON.stringify({ encrypted_headers, signing_secrets } satisfies WebhookSecret);
  // Unless a test says otherwise, what it sends is sent to its end, however busy the machine is.
  return openWebhookSink({ destination, secret, transformed, reach }, { beginMs: 60_000, ...rest });
}

export const NEVER = new AbortController().signal;
