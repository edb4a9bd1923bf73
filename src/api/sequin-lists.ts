/** Lists that Sequin's tools ask for, of things that are none of their own here: a webhook's endpoint is part of its sink. */
import { z } from 'zod';
import { type Route, route } from './route.ts';

const emptyList = (path: string, what: string): Route =>
  route({
    method: 'GET',
    path,
    scope: 'read',
    summary: `An empty list, for tools of Sequin: ${what}`,
    input: z.strictObject({}),
    answer: z.looseObject({ data: z.array(z.never()) }),
    sql: null,
    run: async () => ({ data: [] }),
  });

export const SEQUIN_LIST_ROUTES: readonly Route[] = [
  emptyList('/api/destinations/http_endpoints', 'the address of a webhook stands in its sink'),
  emptyList('/api/local_tunnels', 'there are no tunnels'),
];
