/** The rows that are there, sent to a sink: all, those of a table, or from a value on; and an index filled anew beside it. */
import { useState } from 'react';
import { useCall, useGet } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty, ErrorNote, Loaded } from '../../parts/places.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import { say } from '../../parts/toast.tsx';
import { kindOf } from '../sinks/kinds.ts';
import { useSink } from '../sinks/use-sink.ts';
import { OperationTable } from './table.tsx';

export function SinkBackfills() {
  const { name, kind } = useSink();
  const [asked, setAsked] = useState<'backfill' | 'rebuild' | null>(null);
  const backfills = useGet(
    '/api/operations',
    { query: { sink: name, kind: 'backfill', limit: 100 } },
    { every: 2_000 },
  );
  const rebuilds = useGet('/api/operations', { query: { sink: name, kind: 'rebuild', limit: 20 } }, { every: 10_000 });
  return (
    <>
      <Section
        title="Backfills"
        actions={
          <>
            {kindOf(kind).isIndex && (
              <Button needs="admin" onClick={() => setAsked('rebuild')}>
                Rebuild into another index…
              </Button>
            )}
            <Button look="primary" needs="operate" onClick={() => setAsked('backfill')}>
              Send rows…
            </Button>
          </>
        }
      >
        <Loaded query={backfills}>
          {({ data }) =>
            data.length === 0 ? (
              <Empty title="No backfills yet">
                A new sink gets changes from now on. A backfill sends the rows that already exist, alongside the changes
                and never after them. It is also how to fill an index that was created again.
              </Empty>
            ) : (
              <OperationTable rows={data} label="Backfills" />
            )
          }
        </Loaded>
      </Section>
      {rebuilds.data !== undefined && rebuilds.data.data.length > 0 && (
        <Section title="Rebuilds">
          <OperationTable rows={rebuilds.data.data} label="Rebuilds" />
        </Section>
      )}
      {asked === 'backfill' && <NewBackfill sink={name} onClose={() => setAsked(null)} />}
      {asked === 'rebuild' && <NewRebuild sink={name} onClose={() => setAsked(null)} />}
    </>
  );
}

function NewBackfill({ sink, onClose }: { sink: string; onClose: () => void }) {
  const [table, setTable] = useState('');
  const [column, setColumn] = useState('');
  const [from, setFrom] = useState('');
  const begin = useCall('post', '/api/sinks/{sink}/backfills');
  const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());
  return (
    <Dialog title={`Send rows to ${sink}`} open onClose={onClose} isForm>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          const body = { table: orNull(table), sort_column: orNull(column), start_position: orNull(from) };
          const onSuccess = (): void => {
            say(`Sending rows to ${sink}`);
            onClose();
          };
          begin.mutate({ path: { sink }, body }, { onSuccess });
        }}
      >
        <Field
          label="Table"
          hint="All tables of the sink if empty"
          placeholder="public.products"
          value={table}
          onChange={({ target }) => setTable(target.value)}
          errors={fieldErrors(begin.error, 'table')}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label="From column"
            hint="All rows if empty"
            placeholder="updated_at"
            value={column}
            onChange={({ target }) => setColumn(target.value)}
            errors={fieldErrors(begin.error, 'sort_column')}
          />
          <Field
            label="Value"
            hint="Rows with this value or a greater one"
            value={from}
            onChange={({ target }) => setFrom(target.value)}
            errors={fieldErrors(begin.error, 'start_position')}
          />
        </div>
        {begin.error && <ErrorNote error={begin.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" needs="operate" busy={begin.isPending}>
            {table.trim() === '' ? 'Send all rows' : `Send rows of ${table.trim()}`}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function NewRebuild({ sink, onClose }: { sink: string; onClose: () => void }) {
  const [index, setIndex] = useState('');
  const [alias, setAlias] = useState('');
  const begin = useCall('post', '/api/sinks/{sink}/rebuilds');
  return (
    <Dialog title={`Rebuild ${sink} into another index`} open onClose={onClose} isForm>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          const onSuccess = (): void => {
            say('Filling the other index');
            onClose();
          };
          begin.mutate({ path: { sink }, body: { index, alias: alias === '' ? null : alias } }, { onSuccess });
        }}
      >
        <p>
          A second sink fills an index that you have created, while this one keeps running. When it has caught up, the
          operation tells you how to switch over: the call that moves the alias, and the new YAML.
        </p>
        <Field
          label="Index"
          placeholder="products-2"
          value={index}
          onChange={({ target }) => setIndex(target.value)}
          errors={fieldErrors(begin.error, 'index')}
          required
        />
        <Field
          label="Alias to move"
          hint="Leave empty if clients use the index name itself"
          value={alias}
          onChange={({ target }) => setAlias(target.value)}
          errors={fieldErrors(begin.error, 'alias')}
        />
        {begin.error && <ErrorNote error={begin.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" needs="admin" busy={begin.isPending}>
            Rebuild
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
