/** Buttons and links that look like them. One that may not be used stays, and says why. */
import type { ComponentProps, ReactNode } from 'react';
import { usePerson } from '../api/person.ts';
import { isMeant } from '../lib/impatience.ts';

/** `danger` leads to what destroys, `destroy` does it. */
export type Look = 'plain' | 'primary' | 'danger' | 'destroy' | 'quiet';

const BASE =
  'inline-flex min-h-8 items-center justify-center gap-1.5 rounded-md border px-3 py-1 text-sm font-medium whitespace-nowrap select-none pointer-coarse:min-h-11 aria-disabled:cursor-not-allowed';

/** One that may not be used is grey, whatever it would do. */
const OFF =
  'aria-disabled:border-line aria-disabled:bg-idle-bg aria-disabled:text-muted aria-disabled:hover:opacity-100';

const LOOKS: Record<Look, string> = {
  plain: `border-edge bg-raised text-text hover:bg-idle-bg ${OFF}`,
  primary: `border-accent bg-accent text-on-accent hover:opacity-90 ${OFF}`,
  danger: `border-danger bg-raised text-danger hover:bg-danger-bg ${OFF}`,
  destroy: `border-danger bg-danger text-on-accent hover:opacity-90 ${OFF}`,
  quiet: 'border-transparent text-accent hover:bg-idle-bg aria-disabled:text-muted aria-disabled:hover:bg-transparent',
};

/** For a link that looks like a button. */
export const buttonLook = (look: Look = 'plain'): string => `${BASE} ${LOOKS[look]}`;

export interface ButtonProps extends ComponentProps<'button'> {
  look?: Look;
  /** The scope that its route wants. */
  needs?: string;
  /** Why it cannot be used now. */
  because?: string | null | undefined;
  busy?: boolean;
  children: ReactNode;
}

export function Button({
  look = 'plain',
  needs,
  because,
  busy = false,
  className = '',
  onClick,
  children,
  ...rest
}: ButtonProps) {
  // It changes something: what it made of itself by then is not what a second click meant.
  const isOnce = needs !== undefined || rest.type === 'submit';
  const { may } = usePerson();
  const reason = because ?? (needs === undefined || may(needs) ? null : `Needs the scope \`${needs}\``);
  const isOff = reason !== null || busy;
  return (
    <button
      type="button"
      {...rest}
      aria-disabled={isOff || undefined}
      aria-busy={busy || undefined}
      title={reason ?? rest.title}
      className={`${buttonLook(look)} ${className}`}
      onKeyDown={(event) => event.repeat && event.key === 'Enter' && event.preventDefault()}
      onClick={(event) => {
        if (!isMeant(event, isOnce) || isOff) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {children}
      {reason !== null && <span className="sr-only"> ({reason})</span>}
    </button>
  );
}
