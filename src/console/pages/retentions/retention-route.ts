/** What all tabs of a change retention hang under. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { inside } from '../../root.tsx';

export const retentionRoute = createRoute({
  getParentRoute: () => inside,
  path: '/change-retentions/$retention',
  component: lazyRouteComponent(() => import('./retention-frame.tsx'), 'RetentionFrame'),
});

/** An alert leads to its name alone. */
export const retentionIndexRoute = createRoute({
  getParentRoute: () => retentionRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/change-retentions/$retention/overview', params, replace: true });
  },
});
