/** A token made where somebody is about to receive, for one consumer alone; it is shown once, in what it is copied with. */
import type { ReactNode } from 'react';
import { useCall } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/code.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote, Note } from '../../parts/places.tsx';

interface ConsumerTokenProps {
  title: string;
  consumer: string;
  open: boolean;
  onClose: () => void;
  /** What is copied: a `curl` or a `command`. */
  name: string;
  text: (token: string) => string;
  /** What comes next. */
  children: ReactNode;
}

export function ConsumerToken({ title, consumer, open, onClose, name, text, children }: ConsumerTokenProps) {
  const make = useCall('post', '/api/api_keys');
  const begin = (): void =>
    make.mutate({ body: { name: `${consumer}-${Date.now()}`, scopes: [`consume:${consumer}`] } });
  const close = (): void => {
    make.reset();
    onClose();
  };
  return (
    <Dialog title={title} open={open} onClose={() => make.data === undefined && close()} isForm>
      <p className="mb-3">
        The token may only receive from {consumer}. A message is delivered again after its lease unless its{' '}
        <code className="font-mono text-sm">ack_id</code> is acknowledged.
      </p>
      {make.error && <ErrorNote error={make.error} />}
      {make.data === undefined ? (
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button look="primary" needs="admin" busy={make.isPending} onClick={begin}>
            Create the token
          </Button>
        </div>
      ) : (
        <>
          <Note tone="warn">Copy the token now: it is not shown again.</Note>
          <Code name={name} text={text(String(make.data.token))} />
          {children}
          <div className="mt-3 flex justify-end">
            <Button look="primary" onClick={close}>
              Close
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
