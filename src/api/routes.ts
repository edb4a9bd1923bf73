/** Every management route. */
import type { Route } from './route.ts';
import { listSinks } from './sinks.ts';

export const ROUTES: readonly Route[] = [listSinks];
