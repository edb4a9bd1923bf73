/** The kinds of sinks, in a sentence and an example each; the first is by what the API calls it. */
export interface Kind {
  title: string;
  sentence: string;
  example: string;
}

export const KINDS: Readonly<Record<string, Kind>> = {
  search_index: {
    title: 'Search index',
    sentence: 'Keeps an index of OpenSearch or Elasticsearch in step with tables.',
    example: 'public.products is found in the index products a few milliseconds after it changes',
  },
  pull: {
    title: 'Pull consumer',
    sentence: 'Keeps changes until your program has received and acknowledged them, over HTTP or in SQL.',
    example: 'a worker receives each new row of public.orders, and sends the invoice',
  },
  webhook: {
    title: 'Webhook',
    sentence: 'Sends a request to your address for each change, and tries again until it is taken.',
    example: 'POST https://hooks.example.com/orders for each update of public.orders',
  },
  change_table: {
    title: 'Change table',
    sentence: 'Keeps every change in a table of your own, for audits and replays.',
    example: 'every update of public.orders is a row of public.orders_events',
  },
};

export const kindTitle = (kind: string): string => KINDS[kind]?.title ?? kind;
