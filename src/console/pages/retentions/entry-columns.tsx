/** An entry in a line, or on a card. */
import { Link } from '@tanstack/react-router';
import { JsonText, parseKeeping } from '../../api/json-text.ts';
import type { ListColumn } from '../../parts/data-list.tsx';
import { At } from '../../parts/time.tsx';
import type { Entry } from './use-entries.ts';

/** The columns that an update changed. */
function changedOf({ action, changes }: Entry): string {
  if (action !== 'update' || !(changes instanceof JsonText)) return '';
  return Object.keys(parseKeeping(changes.text) as object).join(', ');
}

function KeyLink({ entry: { seq, record_pk } }: { entry: Entry }) {
  return (
    <Link
      from="/change-retentions/$retention/entries"
      to="."
      search={(known) => ({ ...known, seq: String(seq) })}
      resetScroll={false}
      id={`entry-${seq}`}
      className="font-mono text-accent hover:underline"
    >
      {record_pk}
    </Link>
  );
}

export const entryColumns: readonly ListColumn<Entry>[] = [
  { key: 'key', heading: 'Key', width: 'minmax(6rem,1fr)', cell: (entry) => <KeyLink entry={entry} /> },
  { key: 'action', heading: 'Action', width: '5rem', cell: ({ action }) => action },
  { key: 'changed', heading: 'Changed', width: 'minmax(6rem,2fr)', cell: changedOf },
  { key: 'seq', heading: 'Seq', width: '10rem', isFigure: true, cell: ({ seq }) => seq },
  { key: 'at', heading: 'Committed', width: '12.5rem', cell: ({ committed_at }) => <At at={committed_at} /> },
];

export const entryCard = (entry: Entry) => (
  <>
    <span className="flex justify-between gap-3">
      <span className="min-w-0 truncate">
        <KeyLink entry={entry} /> {entry.action}
      </span>
      <span className="text-muted tabular-nums">{entry.seq}</span>
    </span>
    <span className="block truncate text-muted">{changedOf(entry)}</span>
    <span className="text-muted">
      <At at={entry.committed_at} />
    </span>
  </>
);
