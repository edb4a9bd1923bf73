/** A part of a form: its title beside it, where there is room. */
import type { ReactNode } from 'react';

interface PartProps {
  number?: number;
  title: string;
  /** It takes all the room there is: an editor is in it. */
  isWide?: boolean;
  children: ReactNode;
}

export function Part({ number, title, isWide = false, children }: PartProps) {
  return (
    <section className="grid grid-cols-[minmax(0,1fr)] gap-x-6 gap-y-3 border-t border-line py-5 first:border-t-0 first:pt-0 lg:grid-cols-[9rem_minmax(0,1fr)]">
      <h2 className="text-lg font-semibold">
        {number !== undefined && <span className="mr-2 text-muted tabular-nums">{number}</span>}
        {title}
      </h2>
      <div className={`min-w-0 ${isWide ? '' : 'max-w-4xl'}`}>{children}</div>
    </section>
  );
}
