/**
 * `destination:` of a sink. The credential leaves the settings here, because it is sealed at rest. Destinations of
 * other systems are refused by name.
 */
import { z } from 'zod';
import type { PullDestination, SearchDestination } from '../../model/declared.ts';
import { nearest } from '../../model/finding.ts';
import { Bool, Certificate, int, refuseMask } from '../../model/scalars.ts';
import { type Refusal, refusal, refuse, section, withRemedy } from '../../model/section.ts';
import { withoutTrailing } from '../../model/trailing.ts';
import { hostRefusal } from '../../runtime/addresses.ts';

export interface DestinationDeclared {
  settings: PullDestination | SearchDestination;
  secret: string | null;
  /** False: batch_size was left to the sink's own key. */
  hasBatchSize: boolean;
}

const SEARCH = ['elasticsearch', 'opensearch', 'search_index'] as const;
const PULL = ['pull', 'sequin_stream'] as const;

const OTHERS: Record<string, string> = {
  webhook: 'webhooks',
  http_push: 'webhooks',
  kafka: 'Kafka',
  sqs: 'Amazon SQS',
  sns: 'Amazon SNS',
  kinesis: 'Amazon Kinesis',
  redis: 'Redis',
  redis_stream: 'Redis',
  redis_string: 'Redis',
  rabbitmq: 'RabbitMQ',
  nats: 'NATS',
  gcp_pubsub: 'Google Pub/Sub',
  azure_event_hub: 'Azure Event Hubs',
  typesense: 'Typesense',
  meilisearch: 'Meilisearch',
  s2: 'S2',
  mysql: 'MySQL',
  benchmark: 'benchmark sinks',
};

/** The kind's one name (`elasticsearch`, `pull`, `change_table`) for each of its names, or why there is none. */
export function destinationKind(type: unknown): 'elasticsearch' | 'pull' | 'change_table' | Refusal {
  if (SEARCH.some((name) => name === type)) return 'elasticsearch';
  if (PULL.some((name) => name === type)) return 'pull';
  if (type === 'change_table') return 'change_table';
  const known = [...PULL, ...SEARCH];
  if (typeof type !== 'string') return { message: 'is missing', remedy: `Write one of: ${known.join(', ')}.` };
  if (Object.hasOwn(OTHERS, type)) {
    const remedy = 'Use `pull` and let your own consumer fetch the messages, or `elasticsearch`.';
    return { message: `${type}: Millrace does not deliver to ${OTHERS[type]}`, remedy };
  }
  const close = nearest(type, known);
  const remedy = close === undefined ? `Write one of: ${known.join(', ')}.` : `Did you mean \`${close}\`?`;
  return { message: 'is not a kind of destination', remedy };
}

const renamed = (to: string): Refusal => ({ message: 'has another name here', remedy: `Use \`${to}\`.` });

const Pull = section(
  'sinks[].destination (pull)',
  {
    type: z.enum(PULL),
    visibility_timeout_ms: int(500, 43_200_000).default(30_000),
    max_ack_pending: int(1, 1_000_000).default(10_000),
    max_waiting: int(1, 10_000).default(20),
    max_per_group: int(1, 1_000).default(1),
  },
  {
    ack_wait_ms: renamed('visibility_timeout_ms'),
    batch_size: { message: 'is not a setting of a pull consumer', remedy: 'Send it with each receive.' },
    max_deliver: {
      message: 'has another name here',
      remedy: 'Use `max_retry_count` of the sink: the number of redeliveries, one less.',
    },
  },
);

const IndexName = z
  .string()
  .refine(
    (name) => /^[^\\/*?"<>|,#:A-Z\s\p{Cc}]+$/u.test(name) && !/^[-_+]/.test(name) && name !== '.' && name !== '..',
    refusal('is not a name that a search engine takes', 'Use lower-case letters, digits, `-`, `_` and `.`.'),
  )
  .refine(
    (name) => Buffer.byteLength(name) <= 255,
    refusal('is longer than 255 bytes', 'Shorten it: search engines take no longer one.'),
  );

const EndpointUrl = z.string().superRefine((text, context) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    const remedy = 'Write the base URL of the cluster, as https://search.example.com:9200.';
    refuse(context, [], { message: 'must be an http:// or https:// URL', remedy });
  } else if (url.username !== '' || url.password !== '') {
    const remedy = 'Use `auth_type: basic` and `auth_value: user:password`.';
    refuse(context, [], { message: 'must not contain credentials', remedy });
  } else if (url.search !== '' || url.hash !== '') {
    const remedy = 'Remove what follows the `?` or `#`; the index goes into `index_name`.';
    refuse(context, [], { message: 'must be a base URL', remedy });
  }
  const refusal = url && hostRefusal(url.hostname);
  if (refusal)
    refuse(context, [], { message: `cannot be connected to: ${refusal.message}`, remedy: `${refusal.remedy}.` });
});

const Search = section('sinks[].destination (search index)', {
  type: z.enum(SEARCH),
  endpoint_url: EndpointUrl,
  index_name: IndexName,
  auth_type: z.enum(['api_key', 'basic', 'bearer', 'none']).default('api_key'),
  auth_value: z.string().superRefine(refuseMask).nullable().optional(),
  batch_size: int(1, 10_000).optional(),
  batch_bytes: int(1024, 104_857_600).default(8_388_608),
  compression: z.enum(['none', 'gzip']).default('none'),
  versioning: z.enum(['external', 'none']).default('external'),
  tls: section('sinks[].destination.tls', {
    ca: Certificate.nullable().default(null),
    verify: Bool.default(true),
  }).prefault({}),
});

/** A sink's `destination:`; a change table is declared under `change_retentions:`. */
export const Destination = z.discriminatedUnion(
  'type',
  [
    Pull.transform(
      (settings): DestinationDeclared => ({ settings: { ...settings }, secret: null, hasBatchSize: false }),
    ),
    Search.superRefine(checkCredential).transform((input): DestinationDeclared => {
      const { auth_value, batch_size, endpoint_url, ...rest } = input;
      const secret = input.auth_type === 'none' || !auth_value ? null : auth_value;
      return {
        settings: {
          ...rest,
          type: 'elasticsearch',
          endpoint_url: withoutTrailing(endpoint_url, '/'),
          batch_size: batch_size ?? 100,
        },
        secret,
        hasBatchSize: batch_size !== undefined,
      };
    }),
  ],
  { error: (issue) => (issue.code === 'invalid_union' ? otherSystem(issue.input) : undefined) },
);

function otherSystem(input: unknown): string | undefined {
  const type = typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined;
  const kind = destinationKind(type);
  if (typeof kind === 'object') return typeof type === 'string' ? withRemedy(kind.message, kind.remedy) : undefined;
  const remedy = 'Move it to `change_retentions:`.';
  return kind === 'change_table' ? withRemedy('is declared under `change_retentions:`', remedy) : undefined;
}

function checkCredential(input: z.output<typeof Search>, context: z.core.$RefinementCtx): void {
  const value = input.auth_value;
  const complain = (message: string, remedy: string): void => refuse(context, ['auth_value'], { message, remedy });
  if (input.auth_type === 'none') {
    if (value) complain('is given with `auth_type: none`', 'Name the type: api_key, basic or bearer.');
    return;
  }
  if (value === undefined) {
    complain('is missing', 'Add `auth_value:`, or `auth_type: none` for a cluster without authentication.');
  } else if (value) {
    if (input.auth_type === 'basic' && !value.includes(':'))
      complain('must be `user:password`', 'Join both by a colon.');
    if (input.auth_type === 'basic' ? /\p{Cc}/u.test(value) : !/^[\x21-\x7e]+$/.test(value)) {
      complain('holds a space, a line break or another character that no header takes', 'Remove it.');
    }
  }
}
