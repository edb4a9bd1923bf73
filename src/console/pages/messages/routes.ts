/** Tabs of a sink: its messages that are not settled, and what becomes of them. */
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../lib/code.ts';
import { flag, searchOf } from '../../lib/search.ts';
import { sinkRoute } from '../sinks/sink-route.ts';
import { messagesSearch } from './filter.ts';

const messages = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/messages',
  validateSearch: messagesSearch,
  component: lazyPage(() => import('./sink-messages.tsx'), 'SinkMessages'),
});

/** The page draws it beside its list. */
const message = createRoute({ getParentRoute: () => messages, path: '/$id' });

const trace = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/trace',
  validateSearch: searchOf({ failures: flag, stopped: flag }),
  component: lazyPage(() => import('../trace/trace.tsx'), 'Trace'),
});

export const messageTabs = [messages.addChildren([message]), trace] as const;
