/** Dialogs over the page. What destroys asks first, says how much, and may want a word typed. */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useState } from 'react';
import type { ApiError } from '../api/client.ts';
import { Button, type Look } from './button.tsx';
import { Field } from './field.tsx';
import { ErrorNote } from './places.tsx';

const BACKDROP = 'fixed inset-0 z-40 bg-[rgb(0_0_0/0.45)]';
const POPUP =
  'fixed top-1/2 left-1/2 z-50 max-h-[90dvh] w-[min(36rem,calc(100vw-2rem))] -translate-x-1/2 -translate-y-1/2 overflow-y-auto rounded-md border border-line bg-raised p-5 text-text shadow-raised';

interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** Something is typed in it, or shown in it alone: a click beside it does not end it. */
  isForm?: boolean;
  children: ReactNode;
}

export function Dialog({ title, open, onClose, isForm = false, children }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && onClose()} disablePointerDismissal={isForm}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup className={POPUP}>
          <Base.Title className="mb-2 text-lg font-semibold">{title}</Base.Title>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

export interface ConfirmProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** What happens, and what is lost. */
  children: ReactNode;
  /** On the button: `Discard 812`. */
  action: string;
  look?: Look;
  /** What must be typed first: a name, or a number. */
  typed?: string | undefined;
  busy?: boolean;
  error?: ApiError | null;
  onConfirm: () => void;
}

export function Confirm({ title, open, onClose, children, ...question }: ConfirmProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup className={POPUP}>
          <AlertDialog.Title className="mb-2 text-lg font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description render={<div />}>{children}</AlertDialog.Description>
          <Question onClose={onClose} {...question} />
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

/** It is there as long as its dialog is open: with the next one nothing is typed yet, and nothing refused. */
function Question({
  onClose,
  action,
  look = 'destroy',
  typed,
  busy = false,
  error,
  onConfirm,
}: Omit<ConfirmProps, 'title' | 'open' | 'children'>) {
  const [text, setText] = useState('');
  const [before] = useState(error);
  return (
    <form
      className="mt-4 space-y-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (typed === undefined || text.trim() === typed) onConfirm();
      }}
    >
      {typed !== undefined && (
        <Field
          label={
            <>
              Type <code className="font-mono">{typed}</code> to continue
            </>
          }
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      {error != null && error !== before && <ErrorNote error={error} />}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look={look}
          type="submit"
          busy={busy}
          because={typed !== undefined && text.trim() !== typed ? `Type ${typed} first` : null}
        >
          {action}
        </Button>
      </div>
    </form>
  );
}
