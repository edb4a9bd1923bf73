/** The sink of a page: asked by its frame each two seconds, for all its tabs. */
import { createContext, useContext } from 'react';
import type { Schemas } from '../../api/client.ts';

export type Sink = Schemas['Sink'];
/** What a change retention has as well. */
export type AnySink = Pick<Sink, 'name' | 'status' | 'status_reason' | 'health' | 'state' | 'managed_by'>;

export const SinkContext = createContext<Sink | null>(null);

/** In a tab of a sink: it is known there. */
export function useSink(): Sink {
  const sink = useContext(SinkContext);
  if (sink === null) throw new Error('useSink outside of the frame of a sink');
  return sink;
}

/** By the first reason; the others are told apart by their code. */
const STATES: Record<string, string> = {
  behind: 'behind',
  nobody_receives: 'behind',
  source_error: 'source_down',
  source_needs_resync: 'source_down',
  source_standby: 'source_down',
  source_unknown: 'unknown',
  no_worker: 'unknown',
  not_worked_on: 'unknown',
};

export interface Judged {
  status: string;
  health: string;
  reasons: readonly string[];
}

/** What is said of a sink in one word: a status that somebody set comes before how it is. */
export const stateOf = ({ status, health, reasons }: Judged): string =>
  status === 'active' ? (STATES[reasons[0] ?? ''] ?? health) : status;

/** What is wrong with it, the worst first. */
export const wrongOf = ({ health }: Pick<Sink, 'health'>) =>
  health.checks.filter(({ status }) => status === 'error' || status === 'warning');

export const judged = ({ status, health }: Pick<Sink, 'status' | 'health'>): Judged => ({
  status,
  health: health.status,
  reasons: wrongOf({ health }).map(({ name }) => name),
});
