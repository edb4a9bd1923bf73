/** Code on the left, real messages and what becomes of them on the right. */
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import type { ApiError } from '../../api/client.ts';
import { usePerson } from '../../api/person.ts';
import { Field } from '../../parts/field.tsx';
import { Empty, ErrorNote, Note, Skeleton } from '../../parts/places.tsx';
import { SampleList } from './sample-list.tsx';
import { readSamples, type Sample, type Source } from './samples.ts';
import { SourcePicker } from './source-picker.tsx';
import { type FnType, TYPES } from './types.ts';
import { useNames } from './use-names.ts';
import { useRun } from './use-run.ts';

const Editor = lazy(async () => ({ default: (await import('../../parts/editor.tsx')).Editor }));

interface WorkbenchProps {
  type: FnType;
  code: string;
  onChange: (code: string) => void;
  /** Where samples come from at first; null: somebody chooses. */
  source: Source | null;
  sink?: string;
  /** Rows of its tables alone can be chosen. */
  database?: string;
}

export function Workbench({ type, code, onChange, source: first, sink, database }: WorkbenchProps) {
  const [source, setSource] = useState(first);
  const { samples, setSamples, error, isLoading } = useSamples(source);
  const { may } = usePerson();
  const run = useRun({ type, code, sink }, samples, may('admin'));
  const names = useNames(source);
  const faults = run.results.flatMap((result) => {
    const fault = result?.ok === false ? result.error : null;
    return fault?.line == null ? [] : [{ line: fault.line, column: fault.column, message: fault.message }];
  });
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <div className="min-w-0 space-y-3">
        {type === 'path' ? (
          <Field
            label="Path"
            className="font-mono"
            value={code}
            onChange={({ target }) => onChange(target.value)}
            hint="record.a.b, changes..., metadata... or action"
          />
        ) : (
          <Suspense fallback={<Skeleton lines={8} />}>
            <Editor
              label={`Code of the ${TYPES[type].title.toLowerCase()}`}
              value={code}
              onChange={onChange}
              faults={faults}
              names={names}
            />
            <p className="mt-1 text-xs text-muted">Press Escape, then Tab to leave the editor.</p>
          </Suspense>
        )}
        {run.error && <ErrorNote error={run.error} />}
      </div>
      <div className="min-w-0 space-y-3">
        <SourcePicker source={source} onChange={setSource} sink={sink} only={database} />
        {!may('admin') && <Note tone="idle">Running a function needs the scope admin.</Note>}
        {error !== null && <ErrorNote error={error} />}
        {isLoading && <Skeleton lines={3} />}
        {!isLoading && error === null && samples.length === 0 && (
          <Empty title={source === null ? 'Choose a table' : 'No samples'}>
            {source === null
              ? 'The function is run on its newest rows.'
              : 'Choose another table, or the messages of a sink.'}
          </Empty>
        )}
        {samples.length > 0 && <SampleList samples={samples} run={run} onChange={setSamples} />}
      </div>
    </div>
  );
}

/** What is there, read once; what somebody writes over it stays until another source is chosen. */
function useSamples(source: Source | null) {
  const { may } = usePerson();
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const query = useQuery<Sample[], ApiError>({
    queryKey: ['samples', source],
    queryFn: ({ signal }) => readSamples(source!, signal),
    enabled: source !== null && may('read:data'),
    // Not asked anew when something is saved: that would replace what somebody writes.
    staleTime: 'static',
    gcTime: 0,
  });
  useEffect(() => setSamples(query.data ?? []), [query.data]);
  return { samples, setSamples, error: query.error, isLoading: query.isLoading };
}
