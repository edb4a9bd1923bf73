/** Logging in, people and tokens. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf, text } from '../../lib/search.ts';
import { inside, root } from '../../root.tsx';

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

const tokens = createRoute({
  getParentRoute: () => inside,
  path: '/tokens',
  component: lazyRouteComponent(() => import('./tokens.tsx'), 'Tokens'),
});

const users = createRoute({
  getParentRoute: () => inside,
  path: '/users',
  component: lazyRouteComponent(() => import('./users.tsx'), 'Users'),
});

const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: lazyRouteComponent(() => import('./account.tsx'), 'Account'),
});

export const peopleRoutes = [tokens, users, account] as const;
