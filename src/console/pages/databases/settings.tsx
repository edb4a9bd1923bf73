/** What is declared of a database: changed, tried, released from the file, removed. */
import { type FormEvent, useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { curlOf } from '../../lib/curl.ts';
import { entryYaml, type Plain } from '../../lib/yaml.ts';
import { AsText } from '../../parts/as-text.tsx';
import { Button } from '../../parts/button.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { SaveDialog } from '../../parts/form/save-dialog.tsx';
import { Section } from '../../parts/page.tsx';
import { ErrorNote, Note } from '../../parts/places.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import { Standing } from '../../parts/standing.tsx';
import { say } from '../../parts/toast.tsx';
import { PlaceFields } from './address-fields.tsx';
import { Checking, CheckList } from './check-list.tsx';
import { checksOf } from './connect.tsx';
import { changesOf, differences, type Edited, editedOf, effectOf, shownChanges, writtenOf } from './edited.ts';
import { Remove } from './remove.tsx';
import { TRIGGERS } from './slot-fields.tsx';
import { type Database, useDatabase } from './use-database.ts';

export function DatabaseSettings() {
  const database = useDatabase();
  return (
    <div className="max-w-3xl">
      <Standing
        thing={database}
        release="/api/postgres_databases/{database}/release"
        adopt="/api/postgres_databases/{database}/adopt"
        path={{ database: database.name }}
      >
        Change its entry there, or release it to edit it here. “As YAML” shows the entry.
      </Standing>
      <Form key={`${database.id} ${database.managed_by}`} database={database} />
      <Remove database={database} />
    </div>
  );
}

function Form({ database }: { database: Database }) {
  // As it was when editing began: a later answer does not overwrite what somebody types.
  const [base, setBase] = useState(database);
  const before = editedOf(base);
  const [draft, setDraft] = useState(before);
  const [asked, ask] = useState(false);
  const test = useCall('post', '/api/postgres_databases/{database}/test_connection');
  const save = useCall('patch', '/api/postgres_databases/{database}');
  const changes = changesOf(before, draft);
  const isChanged = Object.keys(changes).length > 0;
  const change = (part: Partial<Edited>): void => {
    // That all was well is true of what was looked at; what was wrong stays to be corrected.
    if (!test.isError) test.reset();
    setDraft((known) => ({ ...known, ...part }));
  };
  const error = save.error ?? test.error;
  const path = { database: database.name };
  const tryOut = (): void => test.mutate({ path, body: changes });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    save.reset();
    ask(true);
  };
  return (
    <>
      <form onSubmit={submit}>
        <fieldset disabled={database.managed_by === 'file'} className="min-w-0">
          <Section title="Address">
            <PlaceFields draft={draft} change={change} error={error} isStored />
          </Section>
          <MoreFields saved={before} {...{ draft, change, error }} />
        </fieldset>
        <Actions {...{ database, draft, changes, isChanged, busy: test.isPending || save.isPending }} tryOut={tryOut} />
        <Tried {...{ test, draft, again: tryOut }} />
      </form>
      <SaveDialog
        {...{ name: database.name, open: asked, save }}
        differences={differences(before, draft)}
        meanwhile={{
          by: database.updated_by,
          differences: differences(before, { ...editedOf(database), password: before.password }),
        }}
        onClose={() => ask(false)}
        onSave={() =>
          save.mutate(
            { path, body: changes, version: save.error?.status === 412 ? database.version : base.version },
            {
              onSuccess: ({ warnings, ...saved }) => {
                say(warnings.length > 0 ? `Saved ${saved.name}: ${warnings.join('; ')}` : `Saved ${saved.name}`);
                setBase(saved as Database);
                setDraft(editedOf(saved as Database));
                ask(false);
              },
            },
          )
        }
      >
        <p className="text-muted">{effectOf(before, draft)}</p>
      </SaveDialog>
    </>
  );
}

interface MoreProps {
  saved: Edited;
  draft: Edited;
  change: (part: Partial<Edited>) => void;
  error: Parameters<typeof fieldErrors>[0];
}

function MoreFields({ saved, draft, change, error }: MoreProps) {
  const field = (key: keyof Edited, name: string) => ({
    value: String(draft[key]),
    onChange: ({ target }: { target: { value: string } }) => change({ [key]: target.value }),
    errors: fieldErrors(error, name),
  });
  return (
    <Section title="Capture">
      <div className="grid gap-3 sm:grid-cols-2">
        <Select
          label="Read changes from"
          {...field('capture', 'capture')}
          hint={draft.capture === 'triggers' ? TRIGGERS : undefined}
        >
          <option value="replication">A replication slot</option>
          <option value="triggers">Triggers on the tables</option>
        </Select>
        {draft.capture === 'triggers' ? (
          <Select label="If a change cannot be noted" {...field('trigger_errors', 'trigger_errors')}>
            <option value="fail">The statement fails</option>
            <option value="skip">The change is missed, with a notice</option>
          </Select>
        ) : (
          <Field
            label="Slot"
            hint={saved.capture === 'replication' ? 'Changing it leaves a gap, which needs a resync' : undefined}
            {...field('slot', 'slot.name')}
            required
          />
        )}
        <Field label="Publication" {...field('publication', 'publication.name')} required />
        <Field
          label="Connections"
          inputMode="numeric"
          hint="Per process, 1 to 100"
          {...field('pool_size', 'pool_size')}
        />
        <Field
          label="Largest row (bytes)"
          inputMode="numeric"
          hint="A larger row is parked"
          {...field('max_row_bytes', 'max_row_bytes')}
        />
        <Select label="Text that is not valid UTF-8" {...field('invalid_utf8', 'invalid_utf8')}>
          <option value="replace">Replace invalid bytes with U+FFFD</option>
          <option value="park">Park the message</option>
        </Select>
      </div>
    </Section>
  );
}

interface ActionsProps {
  database: Database;
  draft: Edited;
  changes: Record<string, Plain>;
  isChanged: boolean;
  busy: boolean;
  tryOut: () => void;
}

function Actions({ database, draft, changes, isChanged, busy, tryOut }: ActionsProps) {
  const isFile = database.managed_by === 'file';
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <Button
        look="primary"
        type="submit"
        needs="admin"
        busy={busy}
        because={isFile ? 'Declared in the configuration file' : isChanged ? null : 'No changes to save'}
      >
        Save…
      </Button>
      <Button needs={isChanged ? 'admin' : 'operate'} busy={busy} onClick={tryOut}>
        Test connection
      </Button>
      <span className="ml-auto flex flex-wrap">
        <AsText title="As YAML" name="YAML" text={() => entryYaml('databases', writtenOf(database, draft))}>
          For the configuration file. The password is not shown.
        </AsText>
        <AsText
          title="As curl"
          name="curl"
          text={() => curlOf('PATCH', `/api/postgres_databases/${database.name}`, shownChanges(changes))}
        >
          It makes the changes entered here, and needs a token with the scope admin in MILLRACE_TOKEN. Fill in the
          password.
        </AsText>
      </span>
    </div>
  );
}

interface TriedProps {
  test: ReturnType<typeof useCall<'post', '/api/postgres_databases/{database}/test_connection'>>;
  draft: Edited;
  again: () => void;
}

function Tried({ test, draft, again }: TriedProps) {
  if (test.isPending) return <Checking capture={draft.capture} />;
  const checks = test.data?.checks ?? checksOf(test.error);
  if (checks !== null)
    return (
      <div className="mb-6">
        {test.data && (
          <div className="mb-2">
            <Note tone="ok" live>
              Ready to be captured.
            </Note>
          </div>
        )}
        <CheckList checks={checks} hostname={draft.hostname} again={again} />
      </div>
    );
  return test.error === null ? null : <ErrorNote error={test.error} />;
}
