/** What all tabs of a change retention hang under. */
import { createRoute, redirect } from '@tanstack/react-router';
import { lazyPage } from '../../lib/code.ts';
import { inside } from '../../root.tsx';

export const retentionRoute = createRoute({
  getParentRoute: () => inside,
  path: '/change-retentions/$retention',
  component: lazyPage(() => import('./retention-frame.tsx'), 'RetentionFrame'),
});

/** An alert leads to its name alone. */
export const retentionIndexRoute = createRoute({
  getParentRoute: () => retentionRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/change-retentions/$retention/overview', params, replace: true });
  },
});
