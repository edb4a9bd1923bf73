import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { inside } from '../../root.tsx';

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyRouteComponent(() => import('./overview.tsx'), 'Overview'),
});

export const overviewRoutes = [overview] as const;
