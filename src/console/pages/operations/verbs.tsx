/** Pause, resume and cancel, of an operation; what each leaves behind is said before. */
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { Button, type Look } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/places.tsx';
import { say } from '../../parts/toast.tsx';
import { isUnderWay, type Operation, titleOf } from './words.ts';

export function OperationVerbs({ operation, look = 'plain' }: { operation: Operation; look?: Look }) {
  const [asked, setAsked] = useState(false);
  const pause = useCall('post', '/api/operations/{id}/pause');
  const resume = useCall('post', '/api/operations/{id}/resume');
  const cancel = useCall('post', '/api/operations/{id}/cancel');
  const path = { id: operation.id };
  const title = titleOf(operation);
  const named = <span className="sr-only"> {title}</span>;
  const canResume = operation.state === 'paused' || operation.state === 'failed';
  const error = pause.error ?? resume.error;
  return (
    <>
      {(operation.state === 'running' || operation.state === 'waiting') && (
        <Button
          look={look}
          needs="operate"
          busy={pause.isPending}
          onClick={() => pause.mutate({ path }, { onSuccess: () => say(`Paused ${title}`) })}
        >
          Pause{named}
        </Button>
      )}
      {canResume && (
        <Button
          look={look}
          needs="operate"
          busy={resume.isPending}
          onClick={() => resume.mutate({ path }, { onSuccess: () => say(`Resumed ${title}`) })}
        >
          Resume{named}
        </Button>
      )}
      {(isUnderWay(operation) || operation.state === 'failed') && (
        <Button look={look} needs="operate" onClick={() => setAsked(true)}>
          Cancel{named}
        </Button>
      )}
      {error && <ErrorNote error={error} />}
      <Confirm
        title={`Cancel ${title}?`}
        open={asked}
        onClose={() => setAsked(false)}
        action="Cancel operation"
        busy={cancel.isPending}
        error={cancel.error}
        onConfirm={() =>
          cancel.mutate(
            { path },
            {
              onSuccess: () => {
                say(`Cancelled ${title}`);
                setAsked(false);
              },
            },
          )
        }
      >
        What it has done so far stays. A cancelled operation cannot be resumed.
      </Confirm>
    </>
  );
}
