/** The functions of a sink, each tried on its own messages. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePerson } from '../../api/person.ts';
import { useAll, useCall } from '../../api/queries.ts';
import { Button, buttonLook } from '../../parts/button.tsx';
import { Select } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty, ErrorNote, Loaded, Note } from '../../parts/places.tsx';
import { say } from '../../parts/toast.tsx';
import { kindOf } from '../sinks/kinds.ts';
import { type Sink, useSink } from '../sinks/use-sink.ts';
import { FunctionEditor } from './function-editor.tsx';
import type { Source } from './samples.ts';
import { type Fn, type FnType, TYPES } from './types.ts';
import { useParked } from './use-parked.ts';

/** In the order in which they run. */
const USES = [
  { use: 'filter', types: ['filter'] },
  { use: 'transform', types: ['transform', 'path'] },
  { use: 'routing', types: ['routing'] },
] as const satisfies readonly { use: keyof Sink; types: readonly FnType[] }[];

export function SinkFunctions() {
  const sink = useSink();
  const query = useAll('/api/functions');
  const uses = USES.filter(({ use }) => use !== 'routing' || kindOf(sink.kind).isIndex);
  return (
    <Loaded query={query}>
      {({ data }) => (
        <>
          {uses.map(({ use, types }) => (
            <Use
              key={`${sink.id} ${use}`}
              sink={sink}
              use={use}
              known={data.filter(({ type }) => types.some((one) => one === type))}
            />
          ))}
        </>
      )}
    </Loaded>
  );
}

function Use({ sink, use, known }: { sink: Sink; use: 'filter' | 'transform' | 'routing'; known: readonly Fn[] }) {
  const [open, setOpen] = useState<boolean | null>(null);
  const { may } = usePerson();
  const change = useCall('patch', '/api/sinks/{sink}');
  const fn = known.find(({ name }) => name === sink[use]);
  // What somebody is writing stays, whatever the sink uses meanwhile.
  const [written, setWritten] = useState<Fn | null>(null);
  const edited = written === null ? fn : (known.find(({ id }) => id === written.id) ?? written);
  // What failed is what one comes for. It stays open when nothing has failed any more: somebody may be writing.
  const isFailing = useParked(sink.state.parked > 0 && fn ? sink.name : undefined, fn?.name ?? '').length > 0;
  if (open === null && isFailing) setOpen(true);
  const pick = (name: string): void =>
    change.mutate(
      { path: { sink: sink.id }, body: { [use]: name }, version: sink.version },
      {
        onSuccess: () =>
          say(name === 'none' ? `${sink.name} no longer uses a ${use}` : `${sink.name} now uses ${name}`),
      },
    );
  return (
    <Section title={TYPES[use].title}>
      <div className="mb-3 flex flex-wrap items-end gap-3">
        <div className="w-64">
          <Select
            label={`${TYPES[use].title} of this sink`}
            value={fn?.name ?? 'none'}
            disabled={sink.managed_by === 'file' || !may('admin')}
            onChange={({ target }) => pick(target.value)}
          >
            <option value="none">none</option>
            {known.map(({ id, name }) => (
              <option key={id}>{name}</option>
            ))}
          </Select>
        </div>
        {fn ? (
          <Button aria-expanded={open === true} onClick={() => setOpen(open !== true)}>
            {open ? 'Close editor' : 'Edit'}
            <span className="sr-only"> {fn.name}</span>
          </Button>
        ) : (
          <Link to="/functions/new" search={{ type: use, ...tableOf(sink) }} className={buttonLook()}>
            Write one
          </Link>
        )}
        {sink.managed_by === 'file' ? (
          <span className="text-sm text-muted">Declared in the configuration file.</span>
        ) : (
          !may('admin') && <span className="text-sm text-muted">Needs the scope admin.</span>
        )}
      </div>
      {change.error && <ErrorNote error={change.error} />}
      {edited && edited.id !== fn?.id && (
        <div className="mb-3">
          <Note tone="warn" live>
            {sink.name} {fn ? `uses ${fn.name}` : `has no ${use}`} now. What you have written of {edited.name} is below.
          </Note>
        </div>
      )}
      {edited && open && (
        <FunctionEditor
          key={edited.id}
          fn={edited}
          source={firstSource(sink)}
          sink={sink.name}
          onModified={(isModified) => setWritten(isModified ? edited : null)}
        />
      )}
      {!edited && use === 'transform' && (
        <Empty title="Rows are sent as they are">
          A transform makes the document, or what clients receive, from each row.
        </Empty>
      )}
    </Section>
  );
}

/** What a function of it is tried on at first: what failed, else rows, else what comes. */
export function firstSource(sink: Sink): Source {
  if (sink.state.parked > 0) return { from: 'messages', sink: sink.name, state: 'parked' };
  const { database, table } = tableOf(sink);
  return database !== undefined && table !== undefined
    ? { from: 'rows', database, table }
    : { from: 'passing', sink: sink.name };
}

/** The first table that the sink names, to begin with. */
function tableOf({ database, source }: Sink): { database?: string; table?: string } {
  const tables = (source as { include_tables?: unknown } | undefined)?.include_tables;
  const first: unknown = Array.isArray(tables) ? tables[0] : undefined;
  return typeof first === 'string' ? { database, table: first.includes('.') ? first : `public.${first}` } : {};
}
