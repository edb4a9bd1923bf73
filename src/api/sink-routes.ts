/** What sinks have in common wherever they are declared: how a list is filtered, and the routes of each. */
import { z } from 'zod';
import type { ListedSink } from '../admin/list-sinks.ts';
import { attemptsOf } from './attempts.ts';
import { settleMessagesOf } from './failed-messages.ts';
import { HEALTH, healthOf } from './health-shape.ts';
import { messageGroupsOf } from './message-groups.ts';
import { readMessagesOf } from './messages.ts';
import { metricsOf } from './metrics.ts';
import type { Route } from './route.ts';
import { changesOf } from './sink-changes.ts';
import { STATUS } from './sink-shape.ts';
import { testsOf } from './sink-tests.ts';
import { type SinkPlace, verbsOf } from './sink-verbs.ts';

/** Of the query string of a list. */
export const SINK_FILTER = {
  database: z.string().optional(),
  status: z.enum(STATUS, 'must be active, paused or disabled').optional(),
  health: z.enum(HEALTH, 'must be healthy, warning, error or paused').optional(),
  managed_by: z.enum(['file', 'api'], 'must be file or api').optional(),
};

type Filter = z.output<z.ZodObject<typeof SINK_FILTER>>;

export const fitsFilter = (sink: ListedSink, { database, status, health, managed_by }: Filter): boolean =>
  (database === undefined || sink.database === database || sink.database_id === database) &&
  (status === undefined || sink.status === status) &&
  (health === undefined || healthOf(sink) === health) &&
  (managed_by === undefined || sink.managed_by === managed_by);

/** Of one sink, below its path. */
export const sinkRoutesOf = <Shape extends z.ZodType>(place: SinkPlace<Shape>): Route[] => [
  ...changesOf(place),
  ...verbsOf(place),
  ...testsOf(place),
  metricsOf(place),
  messageGroupsOf(place),
  ...readMessagesOf(place),
  ...attemptsOf(place),
  ...settleMessagesOf(place),
];
