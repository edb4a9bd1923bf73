/** What the buttons beside something that needs attention say, and where its page is. */
import { linkOptions } from '@tanstack/react-router';
import type { Attention } from '../../api/overview.ts';
import { count } from '../../lib/format.ts';

export interface Offer {
  label: string;
  /** Said when it is done. */
  done: string;
  /** Asked first, where something is lost by it or much begins. */
  question?: string;
}

/** Null: no route acts, or its page asks more than a button can. */
export function offerOf(item: Attention, parked: number): Offer | null {
  if (item.act === null) return null;
  const name = item.subject.name ?? '';
  const { path } = item.act;
  if (path.endsWith('/probe')) return { label: 'Probe now', done: `Probing ${name} now` };
  if (path.endsWith('/messages/retry'))
    return { label: `Retry ${count(parked)}`, done: `Retrying the messages of ${name}` };
  if (path.endsWith('/resume')) return { label: 'Resume', done: `Resumed ${name}` };
  if (path.endsWith('/backfills')) return { label: `Backfill ${item.item}`, done: `Backfill of ${name} started` };
  if (path.endsWith('/verifications'))
    return {
      label: 'Verify and repair',
      done: `Verification of ${name} started`,
      question:
        'Every document of the index is compared with its row. Missing and different documents are sent again; documents without a row are deleted.',
    };
  return null;
}

/** Where it is seen whole. */
export function pageOf({ id, item, act, subject: { kind, name } }: Attention, retentions: ReadonlySet<string>) {
  const label = 'Open';
  const its = name ?? '';
  if (act?.path.startsWith('/api/operations/'))
    return { label, link: linkOptions({ to: '/operations/$id', params: { id: item ?? '' } }) };
  // What is lost by it is asked there.
  if (kind === 'database')
    return {
      label: act === null ? label : 'Resync…',
      link: linkOptions({ to: '/databases/$database', params: { database: its } }),
    };
  if (kind !== 'sink') return { label, link: linkOptions({ to: kind === 'processes' ? '/settings' : '/doctor' }) };
  const isRetention = retentions.has(its);
  // Change retentions have no page of their functions.
  if (FUNCTIONS.has(id) && !isRetention)
    return { label: 'Edit function', link: linkOptions({ to: '/sinks/$sink/function', params: { sink: its } }) };
  if (id !== 'parked')
    return {
      label,
      link: isRetention
        ? linkOptions({ to: '/change-retentions/$retention', params: { retention: its } })
        : linkOptions({ to: '/sinks/$sink', params: { sink: its } }),
    };
  const search = { state: 'parked' } as const;
  return {
    label: 'View messages',
    link: isRetention
      ? linkOptions({ to: '/change-retentions/$retention/messages', params: { retention: its }, search })
      : linkOptions({ to: '/sinks/$sink/messages', params: { sink: its }, search }),
  };
}

/** Where the code of a function is at fault. */
const FUNCTIONS = new Set(['function_faulty', 'function_kills']);

/** States that have a word of their own. */
const STATES = new Set(['parked', 'paused', 'disabled', 'behind', 'needs_resync']);

export const stateOfItem = ({ id, status }: Attention): string =>
  STATES.has(id) ? id : status === 'error' ? 'check_error' : status;
