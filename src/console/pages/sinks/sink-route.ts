/** What all tabs of a sink hang under. */
import { createRoute, redirect } from '@tanstack/react-router';
import { lazyPage } from '../../lib/code.ts';
import { inside } from '../../root.tsx';

export const sinkRoute = createRoute({
  getParentRoute: () => inside,
  path: '/sinks/$sink',
  component: lazyPage(() => import('./sink-frame.tsx'), 'SinkFrame'),
});

/** An alert leads to the sink's name alone. */
export const sinkIndexRoute = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/sinks/$sink/overview', params, replace: true });
  },
});
