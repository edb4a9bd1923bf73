/** The frame of what one sees before one is logged in. */
import { type ReactNode, useEffect } from 'react';
import { Brand } from '../../parts/brand.tsx';
import { NotEncrypted } from '../../parts/not-encrypted.tsx';

export function Gate({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Millrace`;
  }, [title]);
  return (
    <main className="flex min-h-dvh items-center justify-center bg-surface p-4">
      <div className="w-full max-w-sm rounded-md border border-line bg-raised p-6">
        <p className="mb-6">
          <Brand />
        </p>
        <div className="mb-4 empty:hidden">
          <NotEncrypted />
        </div>
        <h1 className="mb-4 text-xl font-semibold">{title}</h1>
        {children}
      </div>
    </main>
  );
}
