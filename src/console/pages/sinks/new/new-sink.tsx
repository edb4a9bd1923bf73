/** A new sink, on one page: its tables, its destination, its function, its rows, its name. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { useGet } from '../../../api/queries.ts';
import { plural } from '../../../lib/format.ts';
import { tableName } from '../../../lib/sql.ts';
import { Button } from '../../../parts/button.tsx';
import { AsYaml } from '../../../parts/form/as-yaml.tsx';
import { checksOf } from '../../../parts/form/checks.tsx';
import { FormContext } from '../../../parts/form/form.tsx';
import { useFreeName } from '../../../parts/form/free-name.ts';
import { Part } from '../../../parts/form/part.tsx';
import { usePlan, useShownFaults } from '../../../parts/form/plan.ts';
import { TestConnection } from '../../../parts/form/test-connection.tsx';
import { withValue } from '../../../parts/form/values.ts';
import { Page } from '../../../parts/page.tsx';
import { ErrorNote, Note } from '../../../parts/places.tsx';
import { say } from '../../../parts/toast.tsx';
import { AsCurl, YAML_NOTE } from '../form/as-text.tsx';
import { DestinationPart } from '../form/destination-part.tsx';
import { DESTINATIONS } from '../form/destinations.ts';
import { bodyOf, proposedName, type SinkEntry } from '../form/entry.ts';
import { FunctionPart } from '../form/function-part.tsx';
import { indexCommand } from '../form/index-command.ts';
import { NamePart } from '../form/name-part.tsx';
import { RowsPart } from '../form/rows-part.tsx';
import { TablesPart } from '../form/tables-part.tsx';
import { type AllWritten, functionsOf, type Use, type Written } from '../form/uses.ts';
import { withFunctions } from '../form/with-functions.ts';
import { kindOfType } from '../kinds.ts';
import { useTable } from '../use-table.ts';
import { type Draft, useDraft } from './draft.ts';
import { useCreate } from './use-create.ts';

const ABOVE = [{ to: '/sinks', label: 'Sinks' }];

export function NewSink() {
  const asked = useSearch({ from: '/inside/sinks/new' });
  const { revision, startOver, ...form } = useDraft(asked);
  return <Form key={revision} {...form} again={startOver} />;
}

interface FormProps {
  draft: Draft;
  setDraft: (next: (before: Draft) => Draft) => void;
  again: () => void;
  forget: () => void;
}

function Form({ draft, setDraft, again, forget }: FormProps) {
  const navigate = useNavigate();
  const proposed = useFreeName()(proposedName(draft.entry));
  const entry: SinkEntry = { ...draft.entry, name: draft.entry.name || proposed };
  const isBegun = entry.database !== '' && DESTINATIONS[entry.destination.type] !== undefined;
  const planned = usePlan(isBegun ? bodyOf(entry) : null);
  const functions = functionsOf(entry, draft.functions);
  const create = useCreate({
    onFunction: (use, name) =>
      setDraft((before) => ({ entry: { ...before.entry, [use]: name }, functions: without(before.functions, use) })),
    async onDone(name) {
      forget();
      say(`Created ${name}`);
      await navigate({ to: '/sinks/$sink/overview', params: { sink: name } });
    },
  });
  const { faults, touch } = useShownFaults(planned, create);
  const set = (path: string, value: unknown): void => {
    // Of another kind nobody has filled in anything yet.
    touch(path === 'destination' ? 'destination.type' : path);
    setDraft((before) => ({ ...before, entry: changed(before.entry, path, value) }));
  };
  const write = (use: Use, written: Written | undefined): void => {
    touch(`${use}.${written?.code === draft.functions[use]?.code ? 'name' : 'code'}`);
    setDraft((before) => ({
      ...before,
      functions: written === undefined ? without(before.functions, use) : { ...before.functions, [use]: written },
    }));
  };
  const rows = useRows(entry);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.start({ entry, functions });
  };
  return (
    <FormContext value={{ entry: draft.entry, set, faults, isStored: false }}>
      <Page
        title="New sink"
        above={ABOVE}
        actions={
          <>
            <Button look="quiet" onClick={again}>
              Start over
            </Button>
            <AsYaml
              planned={planned}
              first="Choose a database and a destination first."
              completed={(yaml) => withFunctions(yaml, functions)}
            >
              {YAML_NOTE}
            </AsYaml>
            <AsCurl entry={entry} functions={functions} />
          </>
        }
      >
        <form onSubmit={submit} noValidate>
          <Part number={1} title="Tables">
            <TablesPart />
          </Part>
          <Part number={2} title="Destination">
            <DestinationPart />
            {DESTINATIONS[entry.destination.type]?.isTested && <Test entry={entry} />}
          </Part>
          {/* A change table goes on in another form. */}
          {!kindOfType(entry.destination.type).isRetention && (
            <>
              <Part number={3} title="Function" isWide>
                <FunctionPart written={draft.functions} onWrite={write} />
              </Part>
              <Part number={4} title="Rows">
                <RowsPart estimate={rows} />
              </Part>
              <Part number={5} title="Name">
                <NamePart proposed={proposed} withStatus />
              </Part>
              <End {...{ create, rows, entry }} warnings={planned.plan?.warnings ?? []} />
            </>
          )}
        </form>
      </Page>
    </FormContext>
  );
}

const without = (functions: AllWritten, use: Use): AllWritten =>
  Object.fromEntries(Object.entries(functions).filter(([one]) => one !== use));

/** Of another database there are other tables. */
function changed(entry: SinkEntry, path: string, value: unknown): SinkEntry {
  const next = withValue(entry, path, value);
  if (path === 'database') return { ...next, source: { include_tables: [] }, tables: [] };
  // Only a search index has these.
  if (path === 'destination' && !kindOfType(next.destination.type).isIndex)
    return { ...next, routing: 'none', filter_leave: null };
  if (path !== 'source.include_tables') return next;
  const left = next.tables.filter(({ name }) => (value as string[] | null)?.includes(name) ?? true);
  return { ...next, tables: left, initial_backfill: next.initial_backfill !== false };
}

/** Where the index is missing, the request that makes it, with a mapping for the first table. */
function Test({ entry }: { entry: SinkEntry }) {
  const { isIndex } = kindOfType(entry.destination.type);
  const columns = useTable(entry.database, isIndex ? entry.source.include_tables?.[0] : undefined)?.columns;
  const isShaped = entry.transform !== 'none';
  return (
    <TestConnection
      body={{ destination: bodyOf(entry).destination }}
      curl={indexCommand(entry.destination, isShaped ? undefined : columns)}
    />
  );
}

/** About how many rows the chosen tables have. */
function useRows({ database, source }: SinkEntry): number | null {
  const chosen = new Set(source.include_tables ?? []);
  const { data } = useGet(
    '/api/postgres_databases/{database}/tables',
    { path: { database }, query: { expand: 'capture', limit: 300 } },
    { enabled: database !== '' && chosen.size > 0 },
  );
  const found = (data?.data ?? []).filter((table) => chosen.has(tableName(table)));
  if (chosen.size === 0 || found.length < chosen.size) return null;
  if (found.some(({ estimated_rows }) => estimated_rows === null)) return null;
  return found.reduce((sum, { estimated_rows }) => sum + (estimated_rows ?? 0), 0);
}

interface EndProps {
  create: ReturnType<typeof useCreate>;
  rows: number | null;
  entry: SinkEntry;
  warnings: readonly string[];
}

function End({ create, rows, entry, warnings }: EndProps) {
  const { error, isPending } = create;
  const isUntested = error !== null && checksOf(error).length > 0;
  const sends = entry.initial_backfill === true && rows !== null && rows > 0;
  return (
    <div className="space-y-3 border-t border-line py-5 lg:pl-[10.5rem]">
      {warnings.map((warning) => (
        <Note key={warning} tone="warn">
          {warning}
        </Note>
      ))}
      {error && <ErrorNote error={error} />}
      <div className="flex flex-wrap gap-2">
        <Button look="primary" type="submit" needs="admin" busy={isPending}>
          {sends ? `Create sink and send about ${plural(rows, 'row')}` : 'Create sink'}
        </Button>
        {isUntested && (
          <Button needs="admin" busy={isPending} onClick={() => create.startUntested()}>
            Create it anyway
          </Button>
        )}
      </div>
    </div>
  );
}
