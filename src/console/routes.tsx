/** All pages. Each folder of `pages/` has its routes; what a page needs is loaded with it. */
import { createRouter } from '@tanstack/react-router';
import { isOutdated } from './api/client.ts';
import { parseSearch, stringifySearch } from './lib/search.ts';
import { databaseRoutes } from './pages/databases/routes.ts';
import { functionRoutes } from './pages/functions/routes.ts';
import { operationRoutes } from './pages/operations/routes.ts';
import { overviewRoutes } from './pages/overview/routes.ts';
import { peopleRoutes, personalRoutes } from './pages/people/routes.ts';
import { retentionRoutes } from './pages/retentions/routes.ts';
import { serviceRoutes } from './pages/service/routes.ts';
import { sinkRoutes } from './pages/sinks/routes.ts';
import { anywhere, inside, root } from './root.tsx';

const tree = root.addChildren([
  ...personalRoutes,
  inside.addChildren([
    ...overviewRoutes,
    ...functionRoutes,
    ...databaseRoutes,
    ...sinkRoutes,
    ...retentionRoutes,
    ...operationRoutes,
    ...peopleRoutes,
    ...serviceRoutes,
    anywhere,
  ]),
]);

export const router = createRouter({
  routeTree: tree,
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultPendingMs: 200,
  scrollRestoration: true,
});

// A newer console answers: with the next page it is loaded. While both of them answer in turns, no page is loaded without end.
router.subscribe('onBeforeNavigate', ({ fromLocation, toLocation, pathChanged }) => {
  // The address bar may not have it yet.
  if (fromLocation !== undefined && pathChanged && isOutdated()) location.assign(toLocation.href);
});

/** The code of the page that the address names is loaded while it is asked who looks, not after that. */
export function loadPage(): void {
  for (const route of router.getMatchedRoutes(location.pathname)[0]) void router.loadRouteChunk(route);
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
