/** Every management route. */
import { CHANGE_RETENTION_ROUTES } from './change-retentions.ts';
import type { Route } from './route.ts';
import { SINK_ROUTES } from './sinks.ts';

export const ROUTES: readonly Route[] = [...SINK_ROUTES, ...CHANGE_RETENTION_ROUTES];
