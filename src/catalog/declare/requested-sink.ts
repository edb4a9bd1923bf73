/** A sink or a change retention as a request has it: an entry of its list, with what an answer of ours shows of it. */

import type { SinkSettings } from '../../model/declared.ts';
import { type Fault, MillraceError } from '../../model/errors.ts';
import { fieldOf } from '../../model/finding.ts';
import { findingsOf } from '../../model/section.ts';
import type { SinkKind } from '../../sinks/contract.ts';
import { DeclaredRetention } from './retention.ts';
import { DeclaredSink } from './sink.ts';
import { withoutTaken } from './taken.ts';

export interface RequestedSink {
  settings: SinkSettings;
  kind: SinkKind;
  secret: string | null;
}

type Given = Readonly<Record<string, unknown>>;

/** Shown, and not to be changed: who reads, edits and sends back has them in it. */
const SHOWN = new Set([
  ...[
    'id',
    'kind',
    'health',
    'state',
    'active_backfills',
    'managed_by',
    'declared_from',
    'status_by',
    'status_reason',
    'version',
  ],
  ...['entry_name', 'updated_by', 'warnings', 'readers', 'waiting_receives', 'inserted_at', 'updated_at'],
]);

/** What of it can be changed. */
export const sinkKeys = (given: Given): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([key]) => !SHOWN.has(key)));

/** To be tried out: what has nothing to do with where it delivers to may be missing. @throws MillraceError invalid */
export function readSinkDraft(list: 'sinks' | 'change_retentions', given: Given): RequestedSink {
  const keys = sinkKeys(given);
  if (list === 'sinks') return read(list, { name: 'draft', database: 'draft', ...keys });
  const source = { source_database: 'draft', source_table_name: 'draft' };
  return read(list, { name: 'draft', ...source, ...keys });
}

function read(list: 'sinks' | 'change_retentions', keys: Given): RequestedSink {
  const { raw } = withoutTaken({ [list]: [keys] });
  const item: unknown = (raw as Record<string, unknown[]>)[list]?.[0];
  const parsed = (list === 'sinks' ? DeclaredSink : DeclaredRetention).safeParse(item);
  if (parsed.success) return parsed.data;
  const faults: Fault[] = findingsOf(parsed.error, item, []).map(({ path, message, remedy }) => ({
    ...{ field: fieldOf(path) || 'body', message, remedy },
  }));
  const fields = [...new Set(faults.map(({ field }) => field))];
  throw new MillraceError('invalid', `Not valid: ${fields.join(', ')}`, { faults });
}
