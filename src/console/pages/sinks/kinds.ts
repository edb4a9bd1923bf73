/** The kinds of sinks: whatever the console knows of one by its name. Pages ask for what is said here, never for the name. */
import type { components } from '../../api/schema.gen.ts';

type Destination = components['schemas']['Sink']['destination'];

export interface Kind {
  title: string;
  sentence: string;
  example: string;
  /** `type` of its destination in an entry; the first one is written. */
  types: readonly [string, ...string[]];
  /** Other keys that a new destination has. */
  first?: object;
  /** It holds a document of each row: that is compared with its row, made anew, and put into the index that a function names. */
  isIndex?: true;
  /** Programs receive from it. */
  isReceived?: true;
  /** It is made as a change retention, and takes changes alone: a resync sends it no rows. */
  isRetention?: true;
  /** After a gap: what cannot be had again. */
  lost: string;
  /** Behind the name of its table, in the name that is proposed for it. */
  suffix: string;
  /** Where its messages go, in short. */
  whereOf: (destination: Destination) => string;
  /** How somebody sees it at work. */
  seen?: string;
}

const ROWS_LOST = 'Which rows were deleted, and any intermediate values.';

const SEARCH_INDEX: Kind = {
  title: 'Search index',
  sentence: 'Keeps an OpenSearch or Elasticsearch index in step with your tables.',
  example: 'a row of public.products can be found in the index products a few milliseconds after it changes',
  types: ['elasticsearch'],
  first: { auth_type: 'none' },
  isIndex: true,
  lost: 'Nothing: the index is compared with its tables, and documents of deleted rows are removed.',
  suffix: 'index',
  whereOf: ({ index_name, endpoint_url }) => `${index_name} at ${endpoint_url}`,
};

const PULL: Kind = {
  title: 'Pull consumer',
  sentence: 'Keeps changes until your program has received and acknowledged them, over HTTP or in SQL.',
  example: 'a worker receives each new row of public.orders and sends the invoice',
  types: ['pull', 'sequin_stream'],
  isReceived: true,
  lost: ROWS_LOST,
  suffix: 'worker',
  whereOf: () => 'clients that receive',
  seen: 'Receive messages as the examples below show.',
};

const WEBHOOK: Kind = {
  title: 'Webhook',
  sentence: 'Sends a request to your address for each change, and retries until it is accepted.',
  example: 'POST https://hooks.example.com/orders for each update of public.orders',
  types: ['webhook'],
  lost: ROWS_LOST,
  suffix: 'webhook',
  whereOf: ({ method, url }) => `${method ?? 'POST'} ${url}`,
  seen: 'Your endpoint gets a request for each change.',
};

const CHANGE_TABLE: Kind = {
  title: 'Change table',
  sentence: 'Keeps every change in a table of your own, for audits and replays.',
  example: 'every update of public.orders becomes a row of public.orders_events',
  types: ['change_table'],
  isRetention: true,
  lost: 'The entries of the gap: no rows are sent.',
  suffix: 'history',
  whereOf: () => 'a table of yours',
};

/** By what the API calls them. */
const BY_NAME: Readonly<Record<string, Kind>> = {
  search_index: SEARCH_INDEX,
  pull: PULL,
  webhook: WEBHOOK,
  change_table: CHANGE_TABLE,
};

export const KINDS: readonly Kind[] = Object.values(BY_NAME);

/** One that this build does not know. */
const unknown = (title: string): Kind => ({
  ...{ title, sentence: '', example: '', types: [title], lost: 'Everything in between.', suffix: 'sink' },
  whereOf: () => title,
});

/** By what the API calls it. */
export const kindOf = (name: string): Kind => BY_NAME[name] ?? unknown(name);

/** By the type of its destination. */
export const kindOfType = (type: string): Kind => KINDS.find(({ types }) => types.includes(type)) ?? unknown(type);

/** The destination that a new sink of this kind begins with. */
export const newDestination = ({ first, types }: Kind): { type: string } => ({ ...first, type: types[0] });

/** What a new sink is, until somebody chooses. */
export const FIRST_KIND = SEARCH_INDEX;
