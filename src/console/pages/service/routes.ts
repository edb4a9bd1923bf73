/** What belongs to the service as a whole. */
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lib/code.ts';
import { searchOf, text } from '../../lib/search.ts';
import { inside } from '../../root.tsx';

const audit = createRoute({
  getParentRoute: () => inside,
  path: '/audit',
  validateSearch: searchOf({ actor: text, action: text, subject: text, since: text, until: text, cursor: text }),
  component: lazyPage(() => import('./audit.tsx'), 'Audit'),
});

const doctor = createRoute({
  getParentRoute: () => inside,
  path: '/doctor',
  validateSearch: searchOf({ database: text, sink: text }),
  component: lazyPage(() => import('./doctor.tsx'), 'Doctor'),
});

const service = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  component: lazyPage(() => import('./service.tsx'), 'Service'),
});

export const serviceRoutes = [audit, doctor, service] as const;
