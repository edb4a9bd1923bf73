import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lib/code.ts';
import { oneOf, searchOf, text } from '../../lib/search.ts';
import { inside } from '../../root.tsx';
import { functionTabs } from '../functions/routes.ts';
import { messageTabs } from '../messages/routes.ts';
import { sinkJobRoutes } from '../operations/routes.ts';
import { sinkIndexRoute, sinkRoute } from './sink-route.ts';
import { SINK_STATES } from './sink-states.ts';

const list = createRoute({
  getParentRoute: () => inside,
  path: '/sinks',
  validateSearch: searchOf({ q: text, state: oneOf(...SINK_STATES), kind: text, database: text }),
  component: lazyPage(() => import('./list.tsx'), 'Sinks'),
});

const create = createRoute({
  getParentRoute: () => inside,
  path: '/sinks/new',
  validateSearch: searchOf({ database: text, table: text }),
  component: lazyPage(() => import('./new/new-sink.tsx'), 'NewSink'),
});

const overview = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/overview',
  validateSearch: searchOf({ range: oneOf('hour', 'day', 'month') }),
  component: lazyPage(() => import('./overview/overview.tsx'), 'SinkOverview'),
});

const settings = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/settings',
  component: lazyPage(() => import('./settings/settings.tsx'), 'SinkSettings'),
});

export const sinkRoutes = [
  list,
  create,
  sinkRoute.addChildren([sinkIndexRoute, overview, ...messageTabs, ...functionTabs, ...sinkJobRoutes, settings]),
] as const;
