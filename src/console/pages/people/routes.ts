/** Logging in. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf, text } from '../../lib/search.ts';
import { root } from '../../root.tsx';

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: searchOf({ next: text }),
  component: lazyRouteComponent(() => import('./login.tsx'), 'Login'),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyRouteComponent(() => import('./setup.tsx'), 'Setup'),
});

/** Without a session. */
export const personalRoutes = [login, setup] as const;
export const peopleRoutes = [] as const;
