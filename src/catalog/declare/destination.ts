/**
 * `destination:` of a sink, by its kind. Each kind's keys are its own (`sinks/<kind>/section.ts`). Destinations of other
 * systems are refused by name.
 */
import { z } from 'zod';
import { nearest } from '../../model/finding.ts';
import { type Refusal, section, withRemedy } from '../../model/section.ts';
import type { DestinationDeclared, SinkKind, SinkSection } from '../../sinks/contract.ts';
import { KINDS, kindNamed } from '../../sinks/kinds.ts';

/** Loaded with this file, and so only where something is declared. */
const SECTIONS = new Map<SinkKind, SinkSection>(
  await Promise.all(KINDS.map(async (kind) => [kind, await kind.section()] as const)),
);

export const sectionOf = (kind: SinkKind): SinkSection => SECTIONS.get(kind)!;

const OTHERS: Record<string, string> = {
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

/** Declared under `sinks:`. */
const PLAIN = KINDS.filter(({ list }) => list === undefined);

/** The kind for each of its names, or why there is none. */
export function destinationKind(type: unknown): SinkKind | Refusal {
  const kind = kindNamed(type);
  if (kind) return kind;
  const known = PLAIN.flatMap(({ names }) => names);
  if (typeof type !== 'string') return { message: 'is missing', remedy: `Write one of: ${known.join(', ')}.` };
  if (Object.hasOwn(OTHERS, type)) {
    const remedy =
      'Use `pull`, and let your own consumer fetch the messages, or `webhook`, `elasticsearch`, `opensearch`.';
    return { message: `${type}: Millrace does not deliver to ${OTHERS[type]}`, remedy };
  }
  const close = nearest(type, known);
  const remedy = close === undefined ? `Write one of: ${known.join(', ')}.` : `Did you mean \`${close}\`?`;
  return { message: 'is not a kind of destination', remedy };
}

/** A sink's `destination:`; what has a list of its own is declared there. */
export const Destination: z.ZodType<DestinationDeclared> = z.discriminatedUnion(
  'type',
  PLAIN.map(destinationOf) as [ReturnType<typeof destinationOf>, ...ReturnType<typeof destinationOf>[]],
  { error: (issue) => (issue.code === 'invalid_union' ? otherSystem(issue.input) : undefined) },
);

function destinationOf(kind: SinkKind) {
  const own = sectionOf(kind);
  const keys = { type: z.enum(kind.names), ...own.keys };
  return section(`sinks[].destination (${own.title})`, keys, own.refused).transform((input, context) =>
    own.read(input, context),
  );
}

function otherSystem(input: unknown): string | undefined {
  const type = typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined;
  const kind = destinationKind(type);
  if (!('names' in kind)) return typeof type === 'string' ? withRemedy(kind.message, kind.remedy) : undefined;
  if (kind.list === undefined) return undefined;
  return withRemedy(`is declared under \`${kind.list.key}:\``, `Move it to \`${kind.list.key}:\`.`);
}
