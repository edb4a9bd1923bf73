/** What is about to be saved; and where somebody else was faster, what they made of it. */
import type { ReactNode } from 'react';
import type { ApiError } from '../../api/client.ts';
import { Confirm } from '../dialog.tsx';
import { Note, Skeleton } from '../places.tsx';
import { Differences } from './differences.tsx';
import type { Difference } from './edit.ts';

interface SaveDialogProps {
  /** Of what is saved. */
  name: string;
  /** Undefined: they are being asked for. */
  differences: readonly Difference[] | undefined;
  /** What somebody else has changed since editing began. */
  meanwhile: { by: string | null; differences: readonly Difference[] };
  open: boolean;
  save: { isPending: boolean; error: ApiError | null };
  onClose: () => void;
  onSave: () => void;
  /** What saving does besides. */
  children: ReactNode;
}

export function SaveDialog({ name, differences, meanwhile, save, onSave, children, ...rest }: SaveDialogProps) {
  const isOutdated = save.error?.status === 412;
  return (
    <Confirm
      {...rest}
      title={`Save ${name}?`}
      look="primary"
      action={isOutdated ? 'Save anyway' : 'Save'}
      busy={save.isPending || differences === undefined}
      error={isOutdated ? null : save.error}
      onConfirm={onSave}
    >
      {differences === undefined ? <Skeleton /> : <Differences label="What changes" differences={differences} />}
      {children}
      {isOutdated && (
        <div className="mt-3">
          <Note tone="warn" live>
            {meanwhile.by ?? 'Someone'} has changed it in the meantime. What you have not changed stays as they saved
            it.
          </Note>
          {meanwhile.differences.length > 0 && (
            <Differences label="What someone else changed" differences={meanwhile.differences} />
          )}
        </div>
      )}
    </Confirm>
  );
}
