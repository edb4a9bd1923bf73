/** Logging in, people and tokens. */
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lib/code.ts';
import { searchOf, text } from '../../lib/search.ts';
import { inside, root } from '../../root.tsx';

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: searchOf({ next: text }),
  component: lazyPage(() => import('./login.tsx'), 'Login'),
});

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyPage(() => import('./setup.tsx'), 'Setup'),
});

/** Without a session. */
export const personalRoutes = [login, setup] as const;

const tokens = createRoute({
  getParentRoute: () => inside,
  path: '/tokens',
  validateSearch: searchOf({ q: text }),
  component: lazyPage(() => import('./tokens.tsx'), 'Tokens'),
});

const users = createRoute({
  getParentRoute: () => inside,
  path: '/users',
  validateSearch: searchOf({ q: text }),
  component: lazyPage(() => import('./users.tsx'), 'Users'),
});

const account = createRoute({
  getParentRoute: () => inside,
  path: '/account',
  component: lazyPage(() => import('./account.tsx'), 'Account'),
});

export const peopleRoutes = [tokens, users, account] as const;
