import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { oneOf, searchOf } from '../../lib/search.ts';
import { inside } from '../../root.tsx';
import { messagesSearch } from '../messages/filter.ts';
import { retentionIndexRoute, retentionRoute } from './retention-route.ts';

const list = createRoute({
  getParentRoute: () => inside,
  path: '/change-retentions',
  component: lazyRouteComponent(() => import('./list.tsx'), 'Retentions'),
});

const overview = createRoute({
  getParentRoute: () => retentionRoute,
  path: '/overview',
  validateSearch: searchOf({ range: oneOf('hour', 'day', 'month') }),
  component: lazyRouteComponent(() => import('./overview.tsx'), 'RetentionOverview'),
});

const messages = createRoute({
  getParentRoute: () => retentionRoute,
  path: '/messages',
  validateSearch: messagesSearch,
  component: lazyRouteComponent(() => import('./messages.tsx'), 'RetentionMessages'),
});

/** The page draws it beside its list. */
const message = createRoute({ getParentRoute: () => messages, path: '/$id' });

export const retentionRoutes = [
  list,
  retentionRoute.addChildren([retentionIndexRoute, overview, messages.addChildren([message])]),
] as const;
