/** The frame of a page: its title, what belongs beside it, its tabs. */
import { ChevronLeftIcon } from '@primer/octicons-react';
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { createStore, useStore } from '../lib/store.ts';

interface PageProps {
  title: string;
  /** The pages above it. */
  above?: readonly { to: string; label: string }[];
  /** Beside the title: its state. */
  beside?: ReactNode;
  actions?: ReactNode;
  tabs?: ReactNode;
  children: ReactNode;
}

/** The title of a page that has come in the place of another one: screen readers are told nothing else of it. */
const announced = createStore('');
/** Null: none was shown yet. */
let shown: string | null = null;

export function PageAnnouncement() {
  return (
    <span role="status" className="sr-only">
      {useStore(announced)}
    </span>
  );
}

export function Page({ title, above = [], beside, actions, tabs, children }: PageProps) {
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    // What had the focus went with the page before: whoever goes on by keys begins with this one, not with the header.
    if (shown !== null && document.activeElement === document.body) main.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    document.title = `${title} · Millrace`;
    if (shown !== null) announced.set(title);
    shown = title;
  }, [title]);
  return (
    <main id="main" ref={main} tabIndex={-1} className="mx-auto w-full max-w-7xl px-4 py-5 outline-none sm:px-6">
      {above.length > 0 && (
        <nav aria-label="Parent page" className="mb-1 flex gap-3 text-sm">
          {above.map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: true }}
              className="-ml-1 inline-flex min-h-6 items-center gap-0.5 text-muted hover:text-text hover:underline"
            >
              <ChevronLeftIcon size={14} aria-hidden />
              {label}
            </Link>
          ))}
        </nav>
      )}
      <header className="mb-4 flex min-h-8 flex-wrap items-center gap-x-4 gap-y-2">
        <h1 className="min-w-0 text-xl font-semibold break-words">{title}</h1>
        {beside}
        {actions && <div className="ml-auto flex flex-wrap gap-2">{actions}</div>}
      </header>
      {tabs}
      {children}
    </main>
  );
}

/** Links that look like tabs: each has an address. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  const nav = useActiveInSight();
  return (
    <nav ref={nav} aria-label={label} className="relative mb-4 flex gap-1 overflow-x-auto border-b border-line">
      {children}
    </nav>
  );
}

/** Where there is no room for all links of a bar, the one that is open can be seen among them. */
export function useActiveInSight(): RefObject<HTMLElement | null> {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: with another address another one is open
  useEffect(() => {
    const all = nav.current;
    if (all === null) return;
    // Whoever turns a phone has another width: it is called at once, and with each.
    const resized = new ResizeObserver(() => {
      const open = all.querySelector<HTMLElement>('[aria-current=page]');
      if (open !== null)
        all.scrollLeft +=
          open.getBoundingClientRect().x - all.getBoundingClientRect().x - (all.clientWidth - open.clientWidth) / 2;
    });
    resized.observe(all);
    return () => resized.disconnect();
  }, [pathname]);
  return nav;
}

/** For the `className` of a Link in Tabs, with `activeProps`. */
export const TAB = {
  className:
    'inline-flex items-center gap-1.5 border-b-2 border-transparent px-3 py-2 text-sm font-medium whitespace-nowrap text-muted hover:text-text',
  activeProps: { className: '!border-accent !text-text', 'aria-current': 'page' as const },
};

export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section className="mb-8">
      <div className="mb-2 flex flex-wrap items-center gap-3">
        <h2 className="text-lg font-semibold">{title}</h2>
        {actions && <div className="ml-auto flex flex-wrap gap-2">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** A term and what it is, in columns. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="grid grid-cols-[max-content_1fr] gap-x-6 gap-y-1 max-sm:grid-cols-1">{children}</dl>;
}

export function Fact({ label, children }: { label: ReactNode; children: ReactNode }) {
  return (
    <>
      <dt className="text-muted">{label}</dt>
      <dd className="min-w-0 break-words max-sm:mb-2">{children}</dd>
    </>
  );
}
