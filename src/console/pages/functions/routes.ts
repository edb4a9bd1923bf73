/** Functions: written and tried on real messages. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOf, searchOf, text } from '../../lib/search.ts';
import { inside } from '../../root.tsx';
import { sinkRoute } from '../sinks/sink-route.ts';

const list = createRoute({
  getParentRoute: () => inside,
  path: '/functions',
  component: lazyRouteComponent(() => import('./list.tsx'), 'Functions'),
});

const create = createRoute({
  getParentRoute: () => inside,
  path: '/functions/new',
  validateSearch: searchOf({ type: oneOf('transform', 'filter', 'routing', 'path'), database: text, table: text }),
  component: lazyRouteComponent(() => import('./new-function.tsx'), 'NewFunction'),
});

const one = createRoute({
  getParentRoute: () => inside,
  path: '/functions/$fn',
  validateSearch: searchOf({ sink: text, message: text }),
  component: lazyRouteComponent(() => import('./one-function.tsx'), 'OneFunction'),
});

export const functionRoutes = [list, create, one] as const;

const ofSink = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/function',
  component: lazyRouteComponent(() => import('./sink-functions.tsx'), 'SinkFunctions'),
});

/** Tabs of a sink. */
export const functionTabs = [ofSink] as const;
