/** Code on the left, real messages and what becomes of them on the right. */
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { usePerson } from '../../api/person.ts';
import { loaded } from '../../lib/code.ts';
import { Field } from '../../parts/field.tsx';
import { Badge } from '../../parts/icons.tsx';
import { Empty, ErrorNote, Note, Skeleton } from '../../parts/places.tsx';
import { RecordType } from './record-type.tsx';
import { SampleList } from './sample-list.tsx';
import type { Source } from './samples.ts';
import { SourcePicker } from './source-picker.tsx';
import { type FnType, TYPES } from './types.ts';
import { useNames } from './use-names.ts';
import { useRun } from './use-run.ts';
import { useSamples } from './use-samples.ts';

const Editor = lazy(async () => ({ default: (await loaded(() => import('../../parts/editor.tsx'))).Editor }));

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
  const names = useNames(source, samples);
  const faults = run.results.flatMap((result) => {
    const fault = result?.ok === false ? result.error : null;
    return fault?.line == null ? [] : [{ line: fault.line, column: fault.column, message: fault.message }];
  });
  const failed = run.results.filter((result) => result?.ok === false).length;
  // Where there is no room for both beside each other.
  const [shown, show] = useState<'code' | 'samples'>('code');
  const only = (part: typeof shown): string => (part === shown ? '' : 'max-lg:hidden');
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <fieldset className="flex gap-1 border-b border-line lg:hidden">
        <legend className="sr-only">What is shown</legend>
        <Part isShown={shown === 'code'} onShow={() => show('code')}>
          Code
        </Part>
        <Part isShown={shown === 'samples'} onShow={() => show('samples')}>
          Samples and results {failed > 0 && <Badge tone="danger">{failed} failed</Badge>}
        </Part>
      </fieldset>
      <div className={`min-w-0 space-y-3 ${only('code')}`}>
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
            <div className="mt-1 flex flex-wrap items-center justify-between gap-2">
              <p className="text-xs text-muted">Press Escape, then Tab to leave the editor.</p>
              {source?.from === 'rows' && <RecordType database={source.database} table={source.table} />}
            </div>
          </Suspense>
        )}
        {run.error && <ErrorNote error={run.error} />}
      </div>
      <div className={`min-w-0 space-y-3 ${only('samples')}`}>
        <SourcePicker source={source} onChange={setSource} sink={sink} only={database} />
        {!may('admin') && <Note tone="idle">Running a function needs the scope admin.</Note>}
        {error !== null && <ErrorNote error={error} />}
        {isLoading && <Skeleton lines={3} />}
        {!isLoading && error === null && samples.length === 0 && <Nothing source={source} />}
        {samples.length > 0 && <SampleList samples={samples} run={run} onChange={setSamples} />}
      </div>
    </div>
  );
}

interface PartProps {
  isShown: boolean;
  onShow: () => void;
  children: ReactNode;
}

/** Looks like a tab, and has no address: both parts belong to one page. */
function Part({ isShown, onShow, children }: PartProps) {
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={onShow}
      className="inline-flex min-h-9 items-center gap-1.5 border-b-2 border-transparent px-3 text-sm font-medium text-muted aria-pressed:border-accent aria-pressed:text-text pointer-coarse:min-h-11"
    >
      {children}
    </button>
  );
}

function Nothing({ source }: { source: Source | null }) {
  if (source === null) return <Empty title="Choose a table">The function runs on its newest rows.</Empty>;
  if (source.from === 'passing')
    return (
      <Empty title="No recent messages yet">
        The next messages on their way to {source.sink} appear here, one a second at most.
      </Empty>
    );
  return <Empty title="No samples">Choose another table, or the messages of a sink.</Empty>;
}
