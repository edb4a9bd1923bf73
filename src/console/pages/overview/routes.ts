import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lib/code.ts';
import { inside } from '../../root.tsx';

const overview = createRoute({
  getParentRoute: () => inside,
  path: '/',
  component: lazyPage(() => import('./overview.tsx'), 'Overview'),
});

export const overviewRoutes = [overview] as const;
