/** One thing of a list, beside the list; on a narrow page in its place. It has an address, takes the focus and gives it back. */
import { XIcon } from '@primer/octicons-react';
import { type ReactNode, useEffect, useRef } from 'react';

interface BesideProps {
  /** What is open; absent: nothing. */
  drawer: ReactNode;
  children: ReactNode;
}

/** A list with room for its drawer. */
export function Beside({ drawer, children }: BesideProps) {
  return (
    <div className={drawer ? 'grid gap-4 lg:grid-cols-2' : undefined}>
      <div className={drawer ? 'min-w-0 max-lg:hidden' : 'min-w-0'}>{children}</div>
      {drawer}
    </div>
  );
}

/** Once a drawer is closed, to what was open in it; where that has left the list meanwhile, to what is first there now. */
export function focusBack(list: string, id: string | undefined): void {
  const back =
    document.getElementById(`${list}-${id}`) ??
    document.querySelector<HTMLElement>(`[id^="${list}-"]`) ??
    document.getElementById('main');
  back?.focus({ preventScroll: true });
  // With room for rows it is another element, and it may leave the list.
  const again = (): void => {
    if (back?.isConnected === false && document.activeElement === document.body) focusBack(list, id);
  };
  back?.addEventListener('focusout', () => setTimeout(again), { once: true });
}

interface DrawerProps {
  title: ReactNode;
  /** What is open: with another one the focus comes back. */
  subject: string;
  actions?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}

export function Drawer({ title, subject, actions, onClose, children }: DrawerProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (subject === '') return;
    heading.current?.focus({ preventScroll: true });
    // In the place of a list that may have been scrolled far.
    if (!matchMedia('(min-width: 64rem)').matches) heading.current?.scrollIntoView({ block: 'start' });
  }, [subject]);
  return (
    <section
      aria-labelledby="drawer-title"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        onClose();
      }}
      className="min-w-0 self-start rounded-md border border-line bg-raised lg:sticky lg:top-[calc(var(--header)+0.75rem)] lg:max-h-[calc(100dvh-var(--header)-1.75rem)] lg:overflow-y-auto"
    >
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <h2
          id="drawer-title"
          ref={heading}
          tabIndex={-1}
          className="mr-auto min-w-0 text-base font-semibold break-words outline-none"
        >
          {title}
        </h2>
        {actions && <div className="flex gap-2 max-sm:order-last max-sm:basis-full">{actions}</div>}
        <button
          type="button"
          onClick={onClose}
          className="inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-idle-bg pointer-coarse:size-11"
        >
          <XIcon size={16} aria-hidden />
          <span className="sr-only">Close</span>
        </button>
      </header>
      <div className="space-y-3 px-4 py-3">{children}</div>
    </section>
  );
}
