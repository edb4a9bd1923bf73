/** Where a sink is asked and told: those of a change retention are alike, and so is what is shown of it. */
import { createContext, useContext } from 'react';

const SINKS = {
  all: '/api/sinks',
  plan: '/api/sinks/plan',
  test: '/api/sinks/test_connection',
  one: '/api/sinks/{sink}',
  planOne: '/api/sinks/{sink}/plan',
  testOne: '/api/sinks/{sink}/test_connection',
  release: '/api/sinks/{sink}/release',
  adopt: '/api/sinks/{sink}/adopt',
  metrics: '/api/sinks/{sink}/metrics',
  pause: '/api/sinks/{sink}/pause',
  resume: '/api/sinks/{sink}/resume',
  disable: '/api/sinks/{sink}/disable',
  probe: '/api/sinks/{sink}/probe',
  dismiss: '/api/sinks/{sink}/notices/{code}/dismiss',
} as const;

export interface SinkPaths {
  paths: typeof SINKS;
  /** The page of all of them. */
  home: '/sinks' | '/change-retentions';
}

/** Their answers share what the pages of both show. */
export const RETENTION_PATHS: SinkPaths = {
  paths: Object.fromEntries(
    Object.entries(SINKS).map(([key, path]) => [key, path.replace('/api/sinks', '/api/change_retentions')]),
  ) as typeof SINKS,
  home: '/change-retentions',
};

export const SinkPathsContext = createContext<SinkPaths>({ paths: SINKS, home: '/sinks' });

export const useSinkPaths = (): SinkPaths => useContext(SinkPathsContext);
