/** The keys of each kind of destination, as fields. */

export interface Spec {
  key: string;
  label: string;
  as: 'text' | 'figure' | 'flag' | 'secret' | 'secret-lines' | 'pairs' | 'secret-pairs' | 'area' | readonly string[];
  hint?: string;
  placeholder?: string;
  /** What counts when it is left empty. */
  fallback?: string | number | boolean;
  isMore?: true;
  when?: (destination: Readonly<Record<string, unknown>>) => boolean;
}

interface DestinationForm {
  /** Has somebody to be asked whether it answers? */
  isTested: boolean;
  fields: readonly Spec[];
}

const TLS: readonly Spec[] = [
  {
    key: 'tls.ca',
    label: 'Certificate authority (PEM)',
    as: 'area',
    hint: 'Leave empty to use the authorities this machine trusts',
    isMore: true,
  },
  { key: 'tls.verify', label: 'Verify the certificate', as: 'flag', fallback: true, isMore: true },
];

const SEARCH: readonly Spec[] = [
  { key: 'endpoint_url', label: 'Endpoint', as: 'text', placeholder: 'https://search.example.com:9200' },
  { key: 'index_name', label: 'Index', as: 'text', hint: 'It must already exist', placeholder: 'products' },
  { key: 'auth_type', label: 'Authentication', as: ['none', 'api_key', 'basic', 'bearer'] },
  {
    key: 'auth_value',
    label: 'Credential',
    as: 'secret',
    hint: 'The key, user:password, or token. Stored encrypted and never shown',
    when: ({ auth_type }) => auth_type !== 'none',
  },
  {
    key: 'batch_size',
    label: 'Documents per request',
    as: 'figure',
    fallback: 100,
    hint: 'At most 10 000',
    isMore: true,
  },
  { key: 'batch_bytes', label: 'Bytes per request', as: 'figure', fallback: 8_388_608, isMore: true },
  { key: 'compression', label: 'Compression', as: ['none', 'gzip'], fallback: 'none', isMore: true },
  {
    key: 'versioning',
    label: 'Versions',
    as: ['external', 'none'],
    fallback: 'external',
    hint: 'With external, a late request never overwrites a newer document',
    isMore: true,
  },
  ...TLS,
];

const PULL: readonly Spec[] = [
  {
    key: 'visibility_timeout_ms',
    label: 'Lease (ms)',
    as: 'figure',
    fallback: 30_000,
    hint: 'How long a client has to acknowledge before the message is delivered again',
  },
  { key: 'max_ack_pending', label: 'Most messages leased at once', as: 'figure', fallback: 10_000, isMore: true },
  { key: 'max_waiting', label: 'Most waiting requests', as: 'figure', fallback: 20, isMore: true },
  { key: 'max_per_group', label: 'Messages per group in a batch', as: 'figure', fallback: 1, isMore: true },
];

const WEBHOOK: readonly Spec[] = [
  { key: 'url', label: 'URL', as: 'text', placeholder: 'https://hooks.example.com/orders' },
  { key: 'method', label: 'Method', as: ['POST', 'PUT', 'PATCH'], fallback: 'POST' },
  {
    key: 'encrypted_headers',
    label: 'Secret headers',
    as: 'secret-pairs',
    hint: 'One per line, such as authorization: Bearer ... Stored encrypted and never shown',
  },
  {
    key: 'signing_secrets',
    label: 'Signing secrets',
    as: 'secret-lines',
    hint: 'One or two whsec_... secrets, one per line. Requests are signed with each of them',
  },
  { key: 'headers', label: 'Headers', as: 'pairs', hint: 'One per line, such as x-tenant: acme', isMore: true },
  { key: 'timeout_ms', label: 'Timeout (ms)', as: 'figure', fallback: 10_000, isMore: true },
  { key: 'parallel', label: 'Concurrent requests', as: 'figure', fallback: 4, isMore: true },
  { key: 'batch', label: 'Send several messages per request', as: 'flag', fallback: false, isMore: true },
  {
    key: 'batch_size',
    label: 'Messages per request',
    as: 'figure',
    fallback: 100,
    isMore: true,
    when: ({ batch }) => batch === true,
  },
  ...TLS,
];

/** By `destination.type`. */
export const DESTINATIONS: Readonly<Record<string, DestinationForm>> = {
  elasticsearch: { isTested: true, fields: SEARCH },
  pull: { isTested: false, fields: PULL },
  sequin_stream: { isTested: false, fields: PULL },
  webhook: { isTested: true, fields: WEBHOOK },
};
