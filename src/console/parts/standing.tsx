/** Who has the say in a thing: the configuration file, or whoever uses the API. One is given to the other here. */
import { useState } from 'react';
import type { Call, PathsWith } from '../api/client.ts';
import { useCall } from '../api/queries.ts';
import { configurationFile } from '../lib/declared.ts';
import { Button } from './button.tsx';
import { Mono } from './code.tsx';
import { Confirm } from './dialog.tsx';
import { Note } from './places.tsx';
import { say } from './toast.tsx';

interface StandingProps<Path extends PathsWith<'post'>> {
  thing: { name: string; managed_by: string; declared_from: string | null; entry_name: string | null };
  /** Its routes. */
  release: Path;
  adopt: Path;
  /** Its name in them. */
  path: Call<Path, 'post'>['path'];
  /** What to do while the file has the say. */
  children: string;
}

/** Of a thing that no file has ever named there is nothing to say. */
export function Standing<Path extends PathsWith<'post'>>({ thing, children, ...routes }: StandingProps<Path>) {
  const [open, setOpen] = useState(false);
  const release = useCall('post', routes.release);
  const adopt = useCall('post', routes.adopt);
  const { name, declared_from, entry_name } = thing;
  const isOfFile = thing.managed_by === 'file';
  if (!isOfFile && declared_from === null) return null;
  const act = isOfFile ? release : adopt;
  const title = isOfFile ? 'Release to the API' : 'Return to the file';
  const confirm = (): void =>
    act.mutate(
      { path: routes.path },
      {
        onSuccess() {
          say(isOfFile ? `${name} is now managed here` : `${name} is managed by the file again`);
          setOpen(false);
        },
      },
    );
  return (
    <div className="mb-5">
      <Note tone="idle">
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
          <p className="min-w-0 flex-1 basis-80 text-text">
            {isOfFile ? 'Declared in' : 'Released from'} {configurationFile(declared_from)}.{' '}
            {isOfFile ? children : 'Its entry there has no effect.'}
            {entry_name !== null && (
              <>
                {' '}
                Its name there is <Mono>{entry_name}</Mono>.
              </>
            )}
          </p>
          <Button needs="admin" onClick={() => setOpen(true)}>
            {title}…
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
          ? 'Its entry in the file then has no effect until you return it.'
          : 'The next time the file is applied, its entry takes effect and changes made here are lost.'}
      </Confirm>
    </div>
  );
}
