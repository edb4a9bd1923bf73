/** How a sink or a database is, in Sequin's words, with what is wrong and what to do about each. */
import { z } from 'zod';
import type { Check } from '../admin/doctor/check.ts';
import type { ListedSink } from '../admin/list-sinks.ts';

export const HEALTH = ['healthy', 'warning', 'error', 'paused'] as const;

const HealthCheck = z
  .looseObject({
    name: z.string(),
    status: z.enum([...HEALTH, 'notice']),
    error: z.string().nullable(),
    remedy: z.string().nullable(),
    sql: z.string().nullable(),
    run_on: z.string().nullable(),
    command: z.string().nullable(),
  })
  .meta({ id: 'HealthCheck' });

export const healthShape = <Name extends string>(name: Name) =>
  z.looseObject({ name: z.literal(name), status: z.enum(HEALTH), checks: z.array(HealthCheck) });

export const LEVELS: Record<ListedSink['level'], (typeof HEALTH)[number]> = {
  ok: 'healthy',
  warning: 'warning',
  failing: 'error',
  unknown: 'error',
};

export const healthOf = ({ status, level }: Pick<ListedSink, 'status' | 'level'>): (typeof HEALTH)[number] =>
  status === 'active' ? LEVELS[level] : 'paused';

const PAUSED = new Set(['paused', 'paused_long', 'disabled']);

/** One for each finding; of what is well `error` is null. */
export const shownHealthChecks = (checks: readonly Check[]): z.input<typeof HealthCheck>[] =>
  checks.map(({ id, status, summary, remedy, sql, run_on, command }) => {
    const isWell = status === 'ok' || status === 'skipped';
    return {
      name: id,
      status: PAUSED.has(id) ? 'paused' : isWell ? 'healthy' : status,
      error: isWell ? null : summary,
      ...{ remedy, sql, run_on, command },
    };
  });
