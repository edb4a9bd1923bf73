/** Samples with what the function makes of each; the one that is open can be written over. */
import { useState } from 'react';
import { JsonText } from '../../api/json-text.ts';
import { ms } from '../../lib/format.ts';
import { Button } from '../../parts/button.tsx';
import { Select, TextArea } from '../../parts/field.tsx';
import { State } from '../../parts/icons.tsx';
import { type Action, as, isJson, type Sample } from './samples.ts';
import type { Result, Run } from './use-run.ts';

interface SampleListProps {
  samples: readonly Sample[];
  run: Run;
  onChange: (samples: readonly Sample[]) => void;
}

export function SampleList({ samples, run, onChange }: SampleListProps) {
  const [open, setOpen] = useState<number | null>(null);
  const put = (place: number, sample: Sample): void =>
    onChange(samples.map((one, at) => (at === place ? sample : one)));
  return (
    <ol className="divide-y divide-line rounded-md border border-line">
      {samples.map((sample, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
        <li key={place} className="px-3 py-2">
          <div className="flex items-start gap-3">
            <div className="min-w-0 flex-1">
              <p className="truncate font-mono text-xs text-muted">
                {sample.action} {sample.record}
              </p>
              <div aria-busy={run.isOld || undefined} className={run.isOld ? 'opacity-60' : undefined}>
                <Outcome result={run.results[place]} />
              </div>
            </div>
            <Button look="quiet" aria-expanded={open === place} onClick={() => setOpen(open === place ? null : place)}>
              {open === place ? 'Close' : 'Edit'}
              <span className="sr-only"> sample {place + 1}</span>
            </Button>
          </div>
          {open === place && <SampleForm sample={sample} onChange={(next) => put(place, next)} />}
        </li>
      ))}
    </ol>
  );
}

const textOf = (value: unknown): string => (value instanceof JsonText ? value.text : JSON.stringify(value));

function Outcome({ result }: { result: Result | undefined }) {
  if (result === undefined) return <p className="text-muted">…</p>;
  if (!result.ok) {
    const { message = '', line = null, column = null } = result.error ?? {};
    return (
      <p className="flex items-start gap-2 text-danger">
        <State state="failed" word="" />
        <span className="min-w-0 break-words">
          {message}
          {line !== null && (
            <span className="font-mono text-xs"> ({column === null ? line : `${line}:${column}`})</span>
          )}
        </span>
      </p>
    );
  }
  return (
    <div className="flex items-start gap-2">
      <State state="ok" word="" />
      <pre className="max-h-40 min-w-0 flex-1 overflow-auto font-mono text-sm break-words whitespace-pre-wrap">
        {textOf(result.result)}
      </pre>
      <span className="text-xs whitespace-nowrap text-muted tabular-nums">{ms(result.took_ms)}</span>
    </div>
  );
}

const ACTIONS: readonly Action[] = ['read', 'insert', 'update', 'delete'];
const WRONG = ['is not valid JSON'];

function SampleForm({ sample, onChange }: { sample: Sample; onChange: (sample: Sample) => void }) {
  return (
    <div className="mt-2 space-y-2">
      <Select label="As" value={sample.action} onChange={({ target }) => onChange(as(sample, target.value as Action))}>
        {ACTIONS.map((action) => (
          <option key={action}>{action}</option>
        ))}
      </Select>
      <TextArea
        label="record"
        rows={6}
        value={sample.record}
        errors={isJson(sample.record) ? undefined : WRONG}
        onChange={({ target }) => onChange({ ...sample, record: target.value })}
      />
      {sample.changes !== null && (
        <TextArea
          label="changes"
          rows={2}
          value={sample.changes}
          errors={isJson(sample.changes) ? undefined : WRONG}
          onChange={({ target }) => onChange({ ...sample, changes: target.value })}
        />
      )}
    </div>
  );
}
