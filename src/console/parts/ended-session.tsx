/**
 * The login over a page whose session has ended: the page stays as it is under it, with what was typed, and goes on when the same
 * person has logged in again. Nothing of it is seen meanwhile, and nothing of it reacts.
 */
import { type KeyboardEvent, useEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { Brand } from './brand.tsx';
import { LogInForm } from './log-in-form.tsx';

interface EndedSessionProps {
  /** Whose it was. */
  email: string;
  /** Somebody is here again. */
  onDone: () => void;
}

export function EndedSession({ email, onDone }: EndedSessionProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // Above whatever dialog of the page is open, and the only one that can be used.
  useEffect(() => dialog.current?.showModal(), []);
  const keep = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
  };
  return createPortal(
    <dialog
      ref={dialog}
      aria-labelledby="ended-session"
      onKeyDown={keep}
      onCancel={(event) => event.preventDefault()}
      className="m-auto w-full max-w-sm rounded-md border border-line bg-raised p-6 text-text backdrop:bg-surface"
    >
      <p className="mb-6">
        <Brand />
      </p>
      <h1 id="ended-session" className="mb-2 text-xl font-semibold">
        Log in again
      </h1>
      <p className="mb-4 text-muted">Your session has ended. What you typed on this page is kept.</p>
      <LogInForm email={email} onDone={onDone} />
    </dialog>,
    document.body,
  );
}
