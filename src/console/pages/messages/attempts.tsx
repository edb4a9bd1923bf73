/** Deliveries that failed, with what was answered. */
import { ms } from '../../lib/format.ts';
import { CopyButton } from '../../parts/code.tsx';
import { At } from '../../parts/time.tsx';
import type { Attempt } from './place.ts';
import { ErrorText } from './sink-error.tsx';

export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p className="text-muted">No failed attempts in the last 24 hours.</p>;
  return (
    <ol className="divide-y divide-line rounded-md border border-line">
      {attempts.map((one) => (
        <li key={one.id} className="px-3 py-2">
          <AttemptHead attempt={one} />
          {one.text !== undefined && <ErrorText text={one.text} />}
        </li>
      ))}
    </ol>
  );
}

function AttemptHead({ attempt: { attempt, at, stage, took_ms, status, type, text } }: { attempt: Attempt }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 text-sm">
      <span className="font-medium">Try {attempt}</span>
      <span className="text-muted">
        {stage}
        {took_ms !== null && `, ${ms(took_ms)}`}
      </span>
      <span className="font-mono">{[status, type].filter((part) => part !== null).join(' ')}</span>
      <span className="ml-auto inline-flex items-center gap-2 text-muted">
        <At at={at} />
        {text !== undefined && <CopyButton text={text} look="quiet" label="Copy" />}
      </span>
    </div>
  );
}
