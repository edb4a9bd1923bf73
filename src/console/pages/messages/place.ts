/** Whose messages a page shows: those of a sink and of a change retention are asked for alike. */
import { linkOptions } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import type { Answer, Schemas } from '../../api/client.ts';
import type { SinkPaths } from '../../api/sink-paths.ts';

export type Message = Schemas['Message'];
export type Group = Schemas['MessageGroup'];
export type Attempt = Schemas['Attempt'];
export type MessagePage = Answer<'/api/sinks/{sink}/messages', 'get'>;

const SINKS = {
  list: '/api/sinks/{sink}/messages',
  groups: '/api/sinks/{sink}/messages/groups',
  one: '/api/sinks/{sink}/messages/{id}',
  attempts: '/api/sinks/{sink}/messages/{id}/attempts',
  lately: '/api/sinks/{sink}/attempts',
  retry: '/api/sinks/{sink}/messages/retry',
  discard: '/api/sinks/{sink}/messages/discard',
} as const;

export type MessagePaths = typeof SINKS;

/** Their answers are of the same shapes. */
const RETENTIONS = Object.fromEntries(
  Object.entries(SINKS).map(([key, path]) => [key, path.replace('/sinks/', '/change_retentions/')]),
) as MessagePaths;

export interface Place {
  paths: MessagePaths;
  /** Of the sink or the change retention. */
  name: string;
  /** The page of its sort. */
  home: SinkPaths['home'];
  /** Messages that wait, and those that are parked. */
  pending: number;
  isEstimate: boolean;
  parked: number;
  /** What it cannot deliver for, in the destination's own words. */
  error: string | null;
  failingSince: string | null;
  lastDeliveredAt: string | null;
  /** Code of the first reason why it is not well. */
  reason: string | null;
}

interface Owner {
  name: string;
  state: {
    pending: number;
    pending_is_estimate: boolean;
    parked: number;
    error: string | null;
    failing_since: string | null;
    last_delivered_at: string | null;
  };
  health: { checks: { name: string }[] };
}

export const placeOf = (home: Place['home'], { name, state, health }: Owner): Place => ({
  paths: home === '/sinks' ? SINKS : RETENTIONS,
  name,
  home,
  pending: state.pending,
  isEstimate: state.pending_is_estimate,
  parked: state.parked,
  error: state.error,
  failingSince: state.failing_since,
  lastDeliveredAt: state.last_delivered_at,
  reason: health.checks[0]?.name ?? null,
});

/** The page of its messages; with one of them open, if `id` says which. */
export function pageOf({ home, name }: Pick<Place, 'home' | 'name'>, id?: string) {
  if (home === '/sinks')
    return id === undefined
      ? linkOptions({ to: '/sinks/$sink/messages', params: { sink: name } })
      : linkOptions({ to: '/sinks/$sink/messages/$id', params: { sink: name, id } });
  return id === undefined
    ? linkOptions({ to: '/change-retentions/$retention/messages', params: { retention: name } })
    : linkOptions({ to: '/change-retentions/$retention/messages/$id', params: { retention: name, id } });
}

export const PlaceContext = createContext<Place | null>(null);

export function usePlace(): Place {
  const place = useContext(PlaceContext);
  if (place === null) throw new Error('usePlace outside of the messages of something');
  return place;
}
