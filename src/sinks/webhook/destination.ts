/** A webhook as it is declared, and what of it is sealed. Keys keep the spelling of millrace.yaml. */
import type { Destination } from '../../model/declared.ts';

export interface WebhookDestination extends Destination {
  type: 'webhook';
  url: string;
  method: 'POST' | 'PUT' | 'PATCH';
  headers: Record<string, string>;
  /** `{"data": [...]}` of up to `batch_size` messages, instead of a request for each. */
  batch: boolean;
  batch_size: number;
  /** A request with its answer's head. */
  timeout_ms: number;
  /** Requests under way at the same time. */
  parallel: number;
  tls: { ca: string | null; verify: boolean };
}

/** The sink's one secret, as JSON. */
export interface WebhookSecret {
  encrypted_headers: Record<string, string>;
  signing_secrets: string[];
}
