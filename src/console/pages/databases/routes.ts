import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf, text } from '../../lib/search.ts';
import { inside } from '../../root.tsx';
import { databaseIndexRoute, databaseRoute } from './database-route.ts';

const list = createRoute({
  getParentRoute: () => inside,
  path: '/databases',
  component: lazyRouteComponent(() => import('./list.tsx'), 'Databases'),
});

const connect = createRoute({
  getParentRoute: () => inside,
  path: '/databases/new',
  component: lazyRouteComponent(() => import('./connect.tsx'), 'Connect'),
});

const overview = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/overview',
  component: lazyRouteComponent(() => import('./overview.tsx'), 'DatabaseOverview'),
});

const tables = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/tables',
  validateSearch: searchOf({ q: text }),
  component: lazyRouteComponent(() => import('./tables.tsx'), 'Tables'),
});

const settings = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings.tsx'), 'DatabaseSettings'),
});

export const databaseRoutes = [
  list,
  connect,
  databaseRoute.addChildren([databaseIndexRoute, overview, tables, settings]),
] as const;
