import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lib/code.ts';
import { oneOf, searchOf, text } from '../../lib/search.ts';
import { inside } from '../../root.tsx';
import { messagesSearch } from '../messages/filter.ts';
import { retentionIndexRoute, retentionRoute } from './retention-route.ts';
import { entriesSearch } from './use-entries.ts';

const list = createRoute({
  getParentRoute: () => inside,
  path: '/change-retentions',
  component: lazyPage(() => import('./list.tsx'), 'Retentions'),
});

const create = createRoute({
  getParentRoute: () => inside,
  path: '/change-retentions/new',
  validateSearch: searchOf({ database: text }),
  component: lazyPage(() => import('./new.tsx'), 'NewRetention'),
});

const overview = createRoute({
  getParentRoute: () => retentionRoute,
  path: '/overview',
  validateSearch: searchOf({ range: oneOf('hour', 'day', 'month') }),
  component: lazyPage(() => import('./overview.tsx'), 'RetentionOverview'),
});

const messages = createRoute({
  getParentRoute: () => retentionRoute,
  path: '/messages',
  validateSearch: messagesSearch,
  component: lazyPage(() => import('./messages.tsx'), 'RetentionMessages'),
});

const entries = createRoute({
  getParentRoute: () => retentionRoute,
  path: '/entries',
  validateSearch: entriesSearch,
  component: lazyPage(() => import('./entries.tsx'), 'Entries'),
});

const replay = createRoute({
  getParentRoute: () => retentionRoute,
  path: '/replay',
  component: lazyPage(() => import('./replay.tsx'), 'Replay'),
});

const settings = createRoute({
  getParentRoute: () => retentionRoute,
  path: '/settings',
  component: lazyPage(() => import('./settings.tsx'), 'RetentionSettings'),
});

/** The page draws it beside its list. */
const message = createRoute({ getParentRoute: () => messages, path: '/$id' });

export const retentionRoutes = [
  list,
  create,
  retentionRoute.addChildren([
    retentionIndexRoute,
    overview,
    entries,
    replay,
    settings,
    messages.addChildren([message]),
  ]),
] as const;
