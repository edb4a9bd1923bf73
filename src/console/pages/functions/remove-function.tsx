import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { say } from '../../parts/toast.tsx';
import type { Fn } from './types.ts';

/** Only of one that no sink uses. */
export function RemoveFunction({ fn, onRemoved }: { fn: Fn; onRemoved: () => void }) {
  const [asked, setAsked] = useState(false);
  const remove = useCall('delete', '/api/functions/{function}');
  const because =
    fn.used_by.length > 0
      ? `Used by ${fn.used_by.join(', ')}`
      : fn.managed_by === 'file'
        ? 'Declared in the configuration file'
        : null;
  return (
    <>
      <Button needs="admin" because={because} onClick={() => setAsked(true)}>
        Delete…
      </Button>
      <Confirm
        title={`Delete ${fn.name}?`}
        open={asked}
        onClose={() => setAsked(false)}
        action="Delete"
        busy={remove.isPending}
        error={remove.error}
        onConfirm={() =>
          remove.mutate(
            { path: { function: fn.id }, version: fn.version },
            {
              onSuccess: () => {
                say(`Deleted ${fn.name}`);
                onRemoved();
              },
            },
          )
        }
      >
        Its code is gone then; the audit log keeps what it was.
      </Confirm>
    </>
  );
}
