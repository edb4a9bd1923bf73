/** What an apply did, or would do, for whoever reads it. */
import {
  type Change,
  changeOf,
  type Decided,
  type NamedServer,
  type ResourceType,
  type Step,
  serversOf,
} from './step.ts';

/** Names as `database shop`, `function by-table`, `sink orders-worker`, `token worker`. */
export interface ApplySummary {
  created: string[];
  changed: string[];
  deleted: string[];
  unchanged: string[];
  changes: Change[];
  /** Everything that is as declared then. */
  resources: { resource_type: ResourceType; name: string }[];
  /** What begins with it: backfills of new sinks. A sentence each. */
  actions: string[];
  /** Sentences for whoever applies: what was asked for and is not done by itself. */
  notes: string[];
  servers: NamedServer[];
  /** Of the catalog. */
  generation: number;
}

export function summaryOf({ steps, notes }: Decided, generation: number): ApplySummary {
  const labels = (wanted: Step['action']): string[] =>
    steps.filter(({ action }) => action === wanted).map(({ type, name }) => `${type.replaceAll('_', ' ')} ${name}`);
  return {
    created: labels('create'),
    changed: labels('update'),
    deleted: labels('delete'),
    unchanged: labels('keep'),
    changes: steps.flatMap((step) => changeOf(step) ?? []),
    resources: steps.flatMap(({ type, name, action }) => (action === 'delete' ? [] : [{ resource_type: type, name }])),
    actions: steps.flatMap(backfillsOf),
    notes,
    servers: serversOf(steps),
    generation,
  };
}

function backfillsOf({ action, name, new: entry }: Step): string[] {
  const wanted = entry?.initial_backfill;
  if (action !== 'create' || wanted === undefined) return [];
  if (!Array.isArray(wanted)) return [`Backfill all tables of ${name}`];
  return wanted.map(({ table }: { table: string }) => `Backfill ${table} of ${name}`);
}
