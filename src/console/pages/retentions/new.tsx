/** A new change retention, on one page: whose changes, in which table, for how long, and the SQL that makes the table. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import type { Body } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { RETENTION_PATHS, SinkPathsContext } from '../../api/sink-paths.ts';
import { Button } from '../../parts/button.tsx';
import { AsYaml } from '../../parts/form/as-yaml.tsx';
import { More, TextKey, WordKey } from '../../parts/form/controls.tsx';
import { FormContext } from '../../parts/form/form.tsx';
import { useFreeName } from '../../parts/form/free-name.ts';
import { Part } from '../../parts/form/part.tsx';
import { usePlan, useShownFaults } from '../../parts/form/plan.ts';
import { useStoredDraft } from '../../parts/form/stored-draft.ts';
import { withValue } from '../../parts/form/values.ts';
import { Page } from '../../parts/page.tsx';
import { ErrorNote, Note } from '../../parts/places.tsx';
import { say } from '../../parts/toast.tsx';
import { bodyOf, completed, newEntry, type RetentionEntry } from './form/entry.ts';
import { PolicyPart } from './form/policy-part.tsx';
import { ChosenSource } from './form/source-part.tsx';
import { MakingPart, TableKeys } from './form/table-part.tsx';
import { AsCurl, YAML_NOTE } from './form/texts.tsx';

const ABOVE = [{ to: '/change-retentions', label: 'Change retentions' }];

export function NewRetention() {
  const { database } = useSearch({ from: '/inside/change-retentions/new' });
  const { revision, startOver, ...form } = useStoredDraft<RetentionEntry>({
    key: 'retention',
    begin(found) {
      const entry = { ...newEntry(), ...found };
      return database === undefined ? entry : changed(entry, 'source_database', database);
    },
  });
  return (
    <SinkPathsContext value={RETENTION_PATHS}>
      <Form key={revision} {...form} again={() => startOver(newEntry())} />
    </SinkPathsContext>
  );
}

/** Another database has other tables. */
function changed(entry: RetentionEntry, path: string, value: unknown): RetentionEntry {
  const isOther = path === 'source_database' && value !== entry.source_database;
  const { source_table_schema, source_table_name } = newEntry();
  return withValue(isOther ? { ...entry, source_table_schema, source_table_name } : entry, path, value);
}

interface FormProps {
  draft: RetentionEntry;
  setDraft: (next: (before: RetentionEntry) => RetentionEntry) => void;
  again: () => void;
  forget: () => void;
}

function Form({ draft, setDraft, again, forget }: FormProps) {
  const navigate = useNavigate();
  const free = useFreeName();
  const whole = completed(draft);
  const entry = draft.name === '' ? { ...whole, name: free(whole.name) } : whole;
  const body = bodyOf(entry);
  const planned = usePlan(entry.source_database === '' ? null : body);
  const create = useCall('post', '/api/change_retentions');
  const isTried = create.isPending || create.error !== null;
  const { faults, touch } = useShownFaults(planned, { isTried, error: create.error });
  const set = (path: string, value: unknown): void => {
    touch(path);
    setDraft((before) => changed(before, path, value));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate(
      { body: body as Body<'/api/change_retentions', 'post'> },
      {
        async onSuccess({ name: retention }) {
          forget();
          say(`Created ${retention}`);
          await navigate({ to: '/change-retentions/$retention/overview', params: { retention } });
        },
      },
    );
  };
  return (
    <FormContext value={{ entry: draft, set, faults, isStored: false }}>
      <Page
        title="New change retention"
        above={ABOVE}
        actions={
          <>
            <Button look="quiet" onClick={again}>
              Start over
            </Button>
            <AsYaml planned={planned} first="Choose a database first.">
              {YAML_NOTE}
            </AsYaml>
            <AsCurl entry={entry} />
          </>
        }
      >
        <form onSubmit={submit} noValidate>
          <Part number={1} title="Source">
            <ChosenSource />
          </Part>
          <Part number={2} title="Change table">
            <TableKeys proposed={entry.destination_table_name} />
          </Part>
          <Part number={3} title="Old entries">
            <PolicyPart />
          </Part>
          <Part number={4} title="Creation">
            <MakingPart entry={entry} test={{ body }} />
          </Part>
          <Part number={5} title="Name">
            <NamePart proposed={entry.name} />
          </Part>
          <div className="space-y-3 border-t border-line py-5 lg:pl-[10.5rem]">
            {(planned.plan?.warnings ?? []).map((warning) => (
              <Note key={warning} tone="warn">
                {warning}
              </Note>
            ))}
            {create.error && <ErrorNote error={create.error} />}
            <Button look="primary" type="submit" needs="admin" busy={create.isPending}>
              Create change retention
            </Button>
          </div>
        </form>
      </Page>
    </FormContext>
  );
}

const NamePart = ({ proposed }: { proposed: string }) => (
  <div>
    <div className="max-w-md">
      <TextKey path="name" label="Name" placeholder={proposed} hint="Used in addresses, metrics and alerts" />
    </div>
    <More label="Start">
      <WordKey
        path="status"
        label="Initial status"
        words={['active', 'paused', 'disabled']}
        hint="Paused: messages wait. Disabled: nothing is kept"
      />
    </More>
  </div>
);
