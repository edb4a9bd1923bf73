/** Tabs of a sink: its messages that are not settled. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { sinkRoute } from '../sinks/sink-route.ts';
import { messagesSearch } from './filter.ts';

const messages = createRoute({
  getParentRoute: () => sinkRoute,
  path: '/messages',
  validateSearch: messagesSearch,
  component: lazyRouteComponent(() => import('./sink-messages.tsx'), 'SinkMessages'),
});

/** The page draws it beside its list. */
const message = createRoute({ getParentRoute: () => messages, path: '/$id' });

export const messageTabs = [messages.addChildren([message])] as const;
