/** Who has the say in a sink: the configuration file, or whoever uses the API. */
import { useState } from 'react';
import { useCall } from '../../../api/queries.ts';
import { Button } from '../../../parts/button.tsx';
import { Mono } from '../../../parts/code.tsx';
import { Confirm } from '../../../parts/dialog.tsx';
import { Note } from '../../../parts/places.tsx';
import { say } from '../../../parts/toast.tsx';
import type { Sink } from '../use-sink.ts';

export function Standing({ sink }: { sink: Sink }) {
  const [open, setOpen] = useState(false);
  const release = useCall('post', '/api/sinks/{sink}/release');
  const adopt = useCall('post', '/api/sinks/{sink}/adopt');
  const isOfFile = sink.managed_by === 'file';
  if (!isOfFile && sink.declared_from === null) return null;
  const act = isOfFile ? release : adopt;
  const title = isOfFile ? 'Release to the API' : 'Give it back to the file';
  const confirm = (): void =>
    act.mutate(
      { path: { sink: sink.name } },
      {
        onSuccess() {
          say(isOfFile ? `${sink.name} is changed here from now on` : `${sink.name} is the file's again`);
          setOpen(false);
        },
      },
    );
  return (
    <div className="mb-5">
      <Note tone="idle">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p className="min-w-0 flex-1 basis-80 text-text">
            {isOfFile ? 'The configuration file declares it' : 'It was released from the configuration file'}
            {sink.declared_from !== null && (
              <>
                {' '}
                (<Mono>{sink.declared_from}</Mono>)
              </>
            )}
            . {isOfFile ? 'Change it below, and copy its entry into the file.' : 'Its entry there has no effect.'}
          </p>
          <Button needs="admin" onClick={() => setOpen(true)}>
            {title}...
          </Button>
        </div>
      </Note>
      <Confirm
        title={`${title}?`}
        action={title}
        look="primary"
        open={open}
        onClose={() => setOpen(false)}
        busy={act.isPending}
        error={act.error}
        onConfirm={confirm}
      >
        {isOfFile
          ? 'Its entry in the file has no effect from then on, until it is given back.'
          : 'The next time the file is applied, it is as its entry says; what was changed here is lost then.'}
      </Confirm>
    </div>
  );
}
