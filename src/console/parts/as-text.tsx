/** What a form says, for whoever keeps it in a file or sends it: As YAML, As curl. */
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Code } from './code.tsx';
import { Dialog } from './dialog.tsx';

interface AsTextProps {
  /** On the button and in the title: `As YAML`. */
  title: string;
  /** Of what is copied: `YAML`. */
  name: string;
  /** Made when somebody asks for it. Undefined: there is none yet, as `children` say. */
  text: (() => string) | undefined;
  /** What is to be known of it. */
  children?: ReactNode;
}

export function AsText({ title, name, text, children }: AsTextProps) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        {title}
      </Button>
      <Dialog title={title} open={open} onClose={() => setOpen(false)}>
        {children}
        {open && text && <Code text={text()} name={name} />}
        <div className="mt-3 flex justify-end">
          <Button onClick={() => setOpen(false)}>Close</Button>
        </div>
      </Dialog>
    </>
  );
}
