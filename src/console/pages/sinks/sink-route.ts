/** What all tabs of a sink hang under. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { inside } from '../../root.tsx';

export const sinkRoute = createRoute({
  getParentRoute: () => inside,
  path: '/sinks/$sink',
  component: lazyRouteComponent(() => import('./sink-frame.tsx'), 'SinkFrame'),
});

/** An alert leads to the sink's name alone. */
export const sinkIndexRoute = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/sinks/$sink/overview', params, replace: true });
  },
});
