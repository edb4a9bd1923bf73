/** Long work, and the tabs of a sink that begin it. */
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lib/code.ts';
import { oneOf, searchOf, text } from '../../lib/search.ts';
import { inside } from '../../root.tsx';
import { sinkRoute } from '../sinks/sink-route.ts';
import { KINDS, STATES } from './words.ts';

const list = createRoute({
  getParentRoute: () => inside,
  path: '/operations',
  validateSearch: searchOf({
    kind: oneOf(...KINDS),
    state: oneOf(...STATES),
    sink: text,
    database: text,
    cursor: text,
  }),
  component: lazyPage(() => import('./list.tsx'), 'Operations'),
});

const one = createRoute({
  getParentRoute: () => inside,
  path: '/operations/$id',
  component: lazyPage(() => import('./one.tsx'), 'OneOperation'),
});

const backfills = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/backfills',
  component: lazyPage(() => import('./sink-backfills.tsx'), 'SinkBackfills'),
});

const verify = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/verify',
  component: lazyPage(() => import('./sink-verify.tsx'), 'SinkVerify'),
});

export const operationRoutes = [list, one] as const;
export const sinkJobRoutes = [backfills, verify] as const;
