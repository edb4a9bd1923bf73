import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sinkIndexRoute, sinkRoute } from './sink-route.ts';

const overview = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/overview',
  component: lazyRouteComponent(() => import('./overview.tsx'), 'SinkOverview'),
});

export const sinkRoutes = [sinkRoute.addChildren([sinkIndexRoute, overview])] as const;
