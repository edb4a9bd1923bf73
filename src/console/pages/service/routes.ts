/** What belongs to the service as a whole. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf, text } from '../../lib/search.ts';
import { inside } from '../../root.tsx';

const audit = createRoute({
  getParentRoute: () => inside,
  path: '/audit',
  validateSearch: searchOf({ actor: text, action: text, subject: text, since: text, until: text, cursor: text }),
  component: lazyRouteComponent(() => import('./audit.tsx'), 'Audit'),
});

const doctor = createRoute({
  getParentRoute: () => inside,
  path: '/doctor',
  validateSearch: searchOf({ database: text, sink: text }),
  component: lazyRouteComponent(() => import('./doctor.tsx'), 'Doctor'),
});

const service = createRoute({
  getParentRoute: () => inside,
  path: '/settings',
  component: lazyRouteComponent(() => import('./service.tsx'), 'Service'),
});

export const serviceRoutes = [audit, doctor, service] as const;
