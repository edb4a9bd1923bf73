import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
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
  component: lazyRouteComponent(() => import('./list.tsx'), 'Sinks'),
});

const create = createRoute({
  getParentRoute: () => inside,
  path: '/sinks/new',
  validateSearch: searchOf({ database: text, table: text }),
  component: lazyRouteComponent(() => import('./new/new-sink.tsx'), 'NewSink'),
});

const overview = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/overview',
  validateSearch: searchOf({ range: oneOf('hour', 'day', 'month') }),
  component: lazyRouteComponent(() => import('./overview/overview.tsx'), 'SinkOverview'),
});

const settings = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings/settings.tsx'), 'SinkSettings'),
});

export const sinkRoutes = [
  list,
  create,
  sinkRoute.addChildren([sinkIndexRoute, overview, ...messageTabs, ...functionTabs, ...sinkJobRoutes, settings]),
] as const;
