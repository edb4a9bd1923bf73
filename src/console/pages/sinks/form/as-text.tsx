/** The same sink without this page: as an entry of the file, and as a request. */
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Code, Mono } from '../../../parts/code.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { ErrorNote } from '../../../parts/places.tsx';
import type { Planned } from './plan.ts';

export function AsYaml({ planned }: { planned: Planned }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        As YAML
      </Button>
      <Dialog title="As YAML" open={open} onClose={() => setOpen(false)}>
        {planned.plan && (
          <>
            <p>
              An entry of millrace.yaml. A secret is never written: put it into <Mono>SINK_SECRET</Mono>.
            </p>
            <Code text={planned.plan.yaml} name="YAML" />
          </>
        )}
        {planned.error && <ErrorNote error={planned.error} />}
        {!planned.plan && !planned.error && <p>Choose tables and a destination first.</p>}
      </Dialog>
    </>
  );
}

export function AsCurl({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        As curl
      </Button>
      <Dialog title="As curl" open={open} onClose={() => setOpen(false)}>
        <p>
          It needs a token with the scope <Mono>admin</Mono> in <Mono>API_TOKEN</Mono>, and a secret in{' '}
          <Mono>SINK_SECRET</Mono>.
        </p>
        <Code text={text} name="curl" />
      </Dialog>
    </>
  );
}
