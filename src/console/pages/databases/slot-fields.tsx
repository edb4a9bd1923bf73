/** The replication slot and the publication: made by capture, or by whoever runs the SQL. */
import { ChevronRightIcon } from '@primer/octicons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useDeferredValue, useId, useState } from 'react';
import { type ApiError, call } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/code.tsx';
import { Checkbox, Field, Select } from '../../parts/field.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import type { Draft } from './draft.ts';

interface Fields {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  error: ApiError | null;
}

export function SlotFields({ draft, change, error }: Fields) {
  const set = (key: keyof Draft) => (event: { target: { value: string } }) => change({ [key]: event.target.value });
  return (
    <>
      <div className="mb-3 max-w-md">
        <Select
          label="Read changes from"
          hint={draft.capture === 'triggers' ? TRIGGERS : undefined}
          value={draft.capture}
          onChange={set('capture')}
          errors={fieldErrors(error, 'capture')}
        >
          <option value="replication">A replication slot</option>
          <option value="triggers">Triggers on the tables</option>
        </Select>
      </div>
      <Checkbox
        label={draft.capture === 'triggers' ? 'Create triggers and publication' : 'Create slot and publication'}
        hint="Capture creates them if they do not exist, and adds new tables of schema public automatically."
        checked={draft.creates}
        onChange={({ target }) => change({ creates: target.checked })}
      />
      <div className="mt-1 ml-4">
        <Shown label={draft.creates ? 'Show the SQL that is run' : 'Show the SQL to run'} open={false}>
          <SetupSql draft={draft} />
        </Shown>
        <Shown label="Use other names" open={fieldErrors(error, 'slot.name') !== undefined}>
          <div className="grid gap-3 py-1 sm:grid-cols-2">
            {draft.capture === 'replication' && (
              <Field
                label="Slot"
                value={draft.slot}
                onChange={set('slot')}
                hint="Unique on the whole server"
                errors={fieldErrors(error, 'slot.name') ?? fieldErrors(error, 'slot')}
              />
            )}
            <Field
              label="Publication"
              value={draft.publication}
              onChange={set('publication')}
              errors={fieldErrors(error, 'publication.name') ?? fieldErrors(error, 'publication')}
            />
          </div>
        </Shown>
      </div>
    </>
  );
}

/** What capture by triggers costs. */
export const TRIGGERS =
  'Triggers need no logical replication, but each changed row is written a second time, in the same transaction.';

/** Of what capture makes itself: not the role. */
const isMade = (sql: string): boolean => !/^(?:create role|grant)\b/.test(sql);

function SetupSql({ draft }: { draft: Draft }) {
  const { database, username, capture, slot, publication, creates } = useDeferredValue(draft);
  const body = {
    database: database || 'postgres',
    ...(username === '' ? {} : { username }),
    ...{ capture, slot_name: slot, publication_name: publication },
  };
  const { data, error } = useQuery({
    queryKey: ['setup_sql', body],
    queryFn: ({ signal }) => call('post', '/api/postgres_databases/setup_sql', { body, signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <p className="text-sm text-danger">{error.message}</p>;
  if (data === undefined) return null;
  const statements = data.statements.filter(isMade).map((sql) => `${sql};`);
  return <Code name="SQL" text={creates ? statements.join('\n\n') : data.sql.trimEnd()} />;
}

function Shown({ label, open, children }: { label: string; open: boolean; children: ReactNode }) {
  const [chosen, choose] = useState<boolean | null>(null);
  const isOpen = chosen ?? open;
  const id = useId();
  return (
    <div>
      <Button look="quiet" className="-ml-2" aria-expanded={isOpen} aria-controls={id} onClick={() => choose(!isOpen)}>
        <ChevronRightIcon size={14} className={isOpen ? 'rotate-90' : undefined} aria-hidden />
        {label}
      </Button>
      <div id={id} hidden={!isOpen}>
        {isOpen && children}
      </div>
    </div>
  );
}
