/** What is about to be saved; and where somebody else was faster, what they made of it. */
import type { ApiError } from '../../api/client.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Note } from '../../parts/places.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { differences, type Edited, editedOf } from './edited.ts';
import type { Database } from './use-database.ts';

interface Difference {
  key: string;
  from: string;
  to: string;
}

interface SaveDialogProps {
  /** As it is stored now. */
  database: Database;
  /** As it was when editing began. */
  before: Edited;
  draft: Edited;
  open: boolean;
  save: { isPending: boolean; error: ApiError | null };
  onClose: () => void;
  onSave: () => void;
}

/** They make capture of this database connect anew. */
const RECONNECTS = new Set(['hostname', 'port', 'database', 'username', 'password', 'ssl', 'publication']);

export function SaveDialog({ database, before, draft, open, save, onClose, onSave }: SaveDialogProps) {
  const mine = differences(before, draft);
  const theirs = differences(before, { ...editedOf(database), password: before.password });
  const isOutdated = save.error?.status === 412;
  return (
    <Confirm
      title={`Save ${database.name}?`}
      open={open}
      onClose={onClose}
      look="primary"
      action={isOutdated ? 'Save all the same' : 'Save'}
      busy={save.isPending}
      error={isOutdated ? null : save.error}
      onConfirm={onSave}
    >
      <Table label="What changes" columns={COLUMNS} rows={mine} keyOf={({ key }) => key} />
      <p className="mt-2 text-muted">
        {mine.some(({ key }) => key === 'slot')
          ? 'Another slot begins somewhere else: capture stands still until you resync.'
          : mine.some(({ key }) => RECONNECTS.has(key))
            ? 'Capture of this database alone connects anew; nothing is lost.'
            : 'Capture is not interrupted.'}
      </p>
      {isOutdated && theirs.length > 0 && (
        <div className="mt-3 space-y-2">
          <Note tone="warn">{database.updated_by ?? 'Somebody'} has changed it meanwhile:</Note>
          <Table label="What somebody else changed" columns={COLUMNS} rows={theirs} keyOf={({ key }) => key} />
        </div>
      )}
    </Confirm>
  );
}

const COLUMNS: readonly Column<Difference>[] = [
  { key: 'key', heading: 'Setting', cell: ({ key }) => key.replaceAll('_', ' ') },
  { key: 'from', heading: 'From', cell: ({ from }) => <span className="break-all text-muted">{from || 'none'}</span> },
  { key: 'to', heading: 'To', cell: ({ to }) => <span className="font-medium break-all">{to || 'none'}</span> },
];
