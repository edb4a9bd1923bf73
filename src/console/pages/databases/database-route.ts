/** What all tabs of a database hang under. */
import { createRoute, redirect } from '@tanstack/react-router';
import { lazyPage } from '../../lib/code.ts';
import { inside } from '../../root.tsx';

export const databaseRoute = createRoute({
  getParentRoute: () => inside,
  path: '/databases/$database',
  component: lazyPage(() => import('./database-frame.tsx'), 'DatabaseFrame'),
});

/** An alert leads to the database's name alone. */
export const databaseIndexRoute = createRoute({
  getParentRoute: () => databaseRoute,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/databases/$database/overview', params, replace: true });
  },
});
