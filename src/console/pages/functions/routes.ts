/** Functions: written and tried on real messages. */
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lib/code.ts';
import { oneOf, searchOf, text } from '../../lib/search.ts';
import { inside } from '../../root.tsx';
import { sinkRoute } from '../sinks/sink-route.ts';

const list = createRoute({
  getParentRoute: () => inside,
  path: '/functions',
  validateSearch: searchOf({ q: text }),
  component: lazyPage(() => import('./list.tsx'), 'Functions'),
});

const create = createRoute({
  getParentRoute: () => inside,
  path: '/functions/new',
  validateSearch: searchOf({ type: oneOf('transform', 'filter', 'routing', 'path'), database: text, table: text }),
  component: lazyPage(() => import('./new-function.tsx'), 'NewFunction'),
});

const one = createRoute({
  getParentRoute: () => inside,
  path: '/functions/$fn',
  validateSearch: searchOf({ sink: text, message: text }),
  component: lazyPage(() => import('./one-function.tsx'), 'OneFunction'),
});

export const functionRoutes = [list, create, one] as const;

const ofSink = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/function',
  component: lazyPage(() => import('./sink-functions.tsx'), 'SinkFunctions'),
});

/** Tabs of a sink. */
export const functionTabs = [ofSink] as const;
