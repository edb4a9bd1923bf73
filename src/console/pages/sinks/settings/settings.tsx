/** Every setting of a sink. What is saved is shown first, key by key. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall } from '../../../api/queries.ts';
import { Button } from '../../../parts/button.tsx';
import { Code } from '../../../parts/code.tsx';
import { Confirm } from '../../../parts/dialog.tsx';
import { ErrorNote, Note } from '../../../parts/places.tsx';
import { Standing } from '../../../parts/standing.tsx';
import { say } from '../../../parts/toast.tsx';
import { AsYaml } from '../form/as-text.tsx';
import { DestinationPart } from '../form/destination-part.tsx';
import { DESTINATIONS } from '../form/destinations.ts';
import { type SinkEntry, withValue } from '../form/entry.ts';
import { FormContext } from '../form/form.tsx';
import { FunctionKey } from '../form/function-part.tsx';
import { NamePart } from '../form/name-part.tsx';
import { Part } from '../form/part.tsx';
import { faultsOf, type Planned, usePlan } from '../form/plan.ts';
import { TablesPart } from '../form/tables-part.tsx';
import { TestConnection } from '../form/test-connection.tsx';
import { type Sink, useSink } from '../use-sink.ts';
import { type Difference, Differences } from './differences.tsx';
import { entryOf, type Patch, patched, patchOf } from './edit.ts';

interface Base {
  version: number;
  entry: SinkEntry;
}

const baseOf = (sink: Sink): Base => ({ version: sink.version, entry: entryOf(sink) });

export function SinkSettings() {
  const sink = useSink();
  // Whatever changes of it elsewhere is taken in, until somebody has begun to change it here.
  const [base, setBase] = useState(() => baseOf(sink));
  const [mine, setMine] = useState<SinkEntry | null>(null);
  const [undone, setUndone] = useState(0);
  const current = mine === null && base.version !== sink.version ? baseOf(sink) : base;
  const begin = (next: SinkEntry, from: Base): void => {
    setBase(from);
    setMine(next);
  };
  return (
    <Form
      key={`${current.version} ${undone}`}
      sink={sink}
      base={current}
      entry={mine ?? current.entry}
      change={(next) => begin(next, current)}
      forget={() => {
        setMine(null);
        setUndone(undone + 1);
      }}
      rebase={(patch) => begin(patched(entryOf(sink), patch), baseOf(sink))}
    />
  );
}

interface FormProps {
  sink: Sink;
  base: Base;
  entry: SinkEntry;
  change: (next: SinkEntry) => void;
  forget: () => void;
  rebase: (patch: Patch) => void;
}

function Form({ sink, base, entry, change, forget, rebase }: FormProps) {
  const patch = patchOf(base.entry, entry);
  const isChanged = Object.keys(patch).length > 0;
  const planned = usePlan(patch, sink.name);
  const faults = faultsOf(planned.error);
  const set = (path: string, value: unknown): void => change(withValue(entry, path, value));
  const isTested = DESTINATIONS[entry.destination.type]?.isTested ?? false;
  const tried = patch.destination === undefined ? {} : { destination: patch.destination };
  return (
    <FormContext value={{ entry, set, faults, isStored: true }}>
      <Standing
        thing={sink}
        release="/api/sinks/{sink}/release"
        adopt="/api/sinks/{sink}/adopt"
        path={{ sink: sink.name }}
      >
        Change it below, and copy its entry into the file.
      </Standing>
      {isChanged && base.version !== sink.version && (
        <Meanwhile {...{ sink, base, forget }} keep={() => rebase(patch)} />
      )}
      <form onSubmit={(event) => event.preventDefault()} noValidate>
        <Part title="Tables">
          <TablesPart />
        </Part>
        <Part title="Destination">
          <DestinationPart />
          {isTested && <TestConnection stored={sink.name} changed={tried} />}
        </Part>
        <Part title="Functions">
          <div className="grid gap-4 sm:grid-cols-2">
            <FunctionKey path="transform" label="Transform" types={['transform', 'path']} />
            <FunctionKey path="filter" label="Filter" types={['filter']} />
            {entry.destination.type === 'elasticsearch' && (
              <FunctionKey path="routing" label="Routing" types={['routing']} />
            )}
          </div>
        </Part>
        <Part title="Name">
          <NamePart withStatus={false} />
        </Part>
      </form>
      <Save {...{ sink, base, patch, planned, isChanged, forget }} />
    </FormContext>
  );
}

interface MeanwhileProps {
  sink: Sink;
  base: Base;
  forget: () => void;
  keep: () => void;
}

/** Somebody else has changed it since it was read. */
function Meanwhile({ sink, base, forget, keep }: MeanwhileProps) {
  const { destination = {}, ...rest } = patchOf(base.entry, entryOf(sink));
  const old: Patch = { ...base.entry };
  const differences: Difference[] = [
    ...Object.entries(rest).map(([path, value]) => ({ path, old: old[path], new: value })),
    ...Object.entries(destination as Patch).map(([key, value]) => ({
      ...{ path: `destination.${key}`, old: base.entry.destination[key], new: value },
    })),
  ];
  return (
    <div className="mb-5">
      <Note tone="warn" live>
        <p className="font-medium">
          {sink.updated_by ?? 'Somebody'} changed it meanwhile{differences.length === 0 ? ', its status alone' : ':'}
        </p>
        {differences.length > 0 && <Differences label="What was changed meanwhile" differences={differences} />}
        <div className="mt-2 flex flex-wrap gap-2">
          <Button onClick={keep}>Put mine on top of it</Button>
          <Button onClick={forget}>Drop mine</Button>
        </div>
      </Note>
    </div>
  );
}

interface SaveProps {
  sink: Sink;
  base: Base;
  patch: Patch;
  planned: Planned;
  isChanged: boolean;
  forget: () => void;
}

function Save({ sink, base, patch, planned, isChanged, forget }: SaveProps) {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const save = useCall('patch', '/api/sinks/{sink}');
  const isOfFile = sink.managed_by === 'file';
  const diff = planned.plan?.diff ?? [];
  const confirm = (): void =>
    save.mutate(
      { path: { sink: sink.name }, body: patch, version: base.version },
      {
        async onSuccess({ name }) {
          setOpen(false);
          forget();
          say(`${name} is saved`);
          if (name !== sink.name)
            await navigate({ to: '/sinks/$sink/settings', params: { sink: name }, replace: true });
        },
      },
    );
  return (
    <div className="sticky bottom-0 z-10 -mx-1 flex flex-wrap items-center gap-2 border-t border-line bg-bg px-1 py-3">
      {isOfFile ? null : (
        <Button
          look="primary"
          needs="admin"
          because={isChanged ? (planned.error ? 'Something is not valid yet' : null) : 'Nothing is changed'}
          onClick={() => setOpen(true)}
        >
          Save...
        </Button>
      )}
      {isChanged && <Button onClick={forget}>Undo all</Button>}
      <AsYaml planned={planned} />
      {planned.error && isChanged && <span className="text-sm text-danger">{planned.error.message}</span>}
      {isOfFile && isChanged && planned.plan && (
        <div className="basis-full">
          <Differences label="What would change" differences={diff} />
          <Code text={planned.plan.yaml} name="YAML" />
        </div>
      )}
      <Confirm
        title={`Save ${sink.name}?`}
        action="Save"
        look="primary"
        busy={save.isPending}
        open={open}
        onClose={() => setOpen(false)}
        onConfirm={confirm}
      >
        <Differences label="What changes" differences={diff} />
        <p>Capture is not interrupted. Messages that wait are delivered as it is then.</p>
        {planned.plan?.warnings.map((warning) => (
          <Note key={warning} tone="warn">
            {warning}
          </Note>
        ))}
        {save.error && <ErrorNote error={save.error} />}
      </Confirm>
    </div>
  );
}
