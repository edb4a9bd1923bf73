/** How far something is; null: nobody can say. */
import { percent } from '../lib/format.ts';

export function Progress({ part, label }: { part: number | null; label: string }) {
  return (
    <span className="inline-flex items-center gap-2">
      <progress
        aria-label={label}
        className="h-2 w-32 overflow-hidden rounded-md bg-idle-bg [&::-moz-progress-bar]:bg-accent [&::-webkit-progress-bar]:bg-idle-bg [&::-webkit-progress-value]:bg-accent"
        {...(part === null ? {} : { value: part })}
        max={1}
      />
      {part !== null && <span className="figure text-sm">{percent(part)}</span>}
    </span>
  );
}
