import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lib/code.ts';
import { searchOf, text } from '../../lib/search.ts';
import { inside } from '../../root.tsx';
import { databaseIndexRoute, databaseRoute } from './database-route.ts';

const list = createRoute({
  getParentRoute: () => inside,
  path: '/databases',
  component: lazyPage(() => import('./list.tsx'), 'Databases'),
});

const connect = createRoute({
  getParentRoute: () => inside,
  path: '/databases/new',
  component: lazyPage(() => import('./connect.tsx'), 'Connect'),
});

const overview = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/overview',
  component: lazyPage(() => import('./overview.tsx'), 'DatabaseOverview'),
});

const tables = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/tables',
  validateSearch: searchOf({ q: text }),
  component: lazyPage(() => import('./tables.tsx'), 'Tables'),
});

const settings = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/settings',
  component: lazyPage(() => import('./settings.tsx'), 'DatabaseSettings'),
});

export const databaseRoutes = [
  list,
  connect,
  databaseRoute.addChildren([databaseIndexRoute, overview, tables, settings]),
] as const;
