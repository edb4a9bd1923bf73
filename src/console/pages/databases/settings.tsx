/** What is declared of a database: changed, tried, released from the file, removed. */
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { curlOf } from '../../lib/curl.ts';
import { entryYaml, type Plain } from '../../lib/yaml.ts';
import { AsText } from '../../parts/as-text.tsx';
import { Button } from '../../parts/button.tsx';
import { Differences } from '../../parts/form/differences.tsx';
import { SaveDialog } from '../../parts/form/save-dialog.tsx';
import { useStoredDraft } from '../../parts/form/stored-draft.ts';
import { type Begun, Unsaved } from '../../parts/form/unsaved.tsx';
import { Section } from '../../parts/page.tsx';
import { ErrorNote, Note } from '../../parts/places.tsx';
import { Standing } from '../../parts/standing.tsx';
import { say } from '../../parts/toast.tsx';
import { PlaceFields } from './address-fields.tsx';
import { Checking, CheckList } from './check-list.tsx';
import { checksOf } from './connect.tsx';
import { changesOf, differences, type Edited, editedOf, effectOf, shownChanges, writtenOf } from './edited.ts';
import { MoreFields } from './more-fields.tsx';
import { Remove } from './remove.tsx';
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
        Edit it below, then copy its entry into the file; or release it to save it here.
      </Standing>
      <Form key={database.id} database={database} />
      <Remove database={database} />
    </div>
  );
}

/** What somebody has begun to change of it. */
interface Draft extends Begun {
  /** As it was when that began: a later answer does not overwrite what somebody types. */
  before: Edited;
  version: number;
  after: Edited;
}

const isOther = (before: Edited, after: Edited): boolean => Object.keys(changesOf(before, after)).length > 0;

const unchanged = (database: Database): Draft => {
  const saved = editedOf(database);
  return { before: saved, version: database.version, after: saved };
};

function kept({ before, version, after, isPartial = false }: Draft): Draft | null {
  if (!isOther(before, after)) return null;
  const safe = { ...after, password: before.password };
  return { before, version, after: safe, isFound: true, isPartial: isPartial || after.password !== safe.password };
}

function useDraft(database: Database) {
  const saved = editedOf(database);
  const stored = useStoredDraft<Draft>({
    key: `database-${database.id}`,
    // What was saved while another page was looked at is no change any more.
    begin: (found) => (found && isOther(saved, found.after) ? found : unchanged(database)),
    kept,
  });
  const { draft, setDraft } = stored;
  // Whatever changes of it elsewhere is taken in, until somebody has begun to change it here; and what is no setting, also then.
  if (database.version > draft.version) {
    if (!isOther(draft.before, draft.after)) setDraft(unchanged(database));
    else if (!isOther(draft.before, saved) && draft.after.password === '')
      setDraft({ ...draft, version: database.version });
  }
  const undo = (to: Database): void => {
    stored.forget();
    setDraft(unchanged(to));
  };
  return { draft, setDraft, undo };
}

function Form({ database }: { database: Database }) {
  const { draft: begun, setDraft, undo } = useDraft(database);
  const { before, version, after: draft } = begun;
  const [asked, ask] = useState(false);
  const navigate = useNavigate();
  const test = useCall('post', '/api/postgres_databases/{database}/test_connection');
  const save = useCall('patch', '/api/postgres_databases/{database}');
  const changes = changesOf(before, draft);
  const isChanged = isOther(before, draft);
  const change = (part: Partial<Edited>): void => {
    // That all was well is true of what was looked at; what was wrong stays to be corrected.
    if (!test.isError) test.reset();
    setDraft((known) => ({ ...known, after: { ...known.after, ...part } }));
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
      {isChanged && <Unsaved {...begun} />}
      <form onSubmit={submit}>
        <Section title="Address">
          <PlaceFields draft={draft} change={change} error={error} isStored />
        </Section>
        <MoreFields saved={before} {...{ draft, change, error }} />
        <Actions {...{ database, draft, changes, isChanged, tryOut, busy: test.isPending || save.isPending }}>
          {isChanged && (
            <Button
              onClick={() => {
                test.reset();
                undo(database);
              }}
            >
              Undo all changes
            </Button>
          )}
        </Actions>
        {database.managed_by === 'file' && isChanged && (
          <Differences label="What would change" differences={differences(before, draft)} />
        )}
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
            { path, body: changes, version: save.error?.status === 412 ? database.version : version },
            {
              onSuccess: async ({ warnings, ...saved }) => {
                say(warnings.length > 0 ? `Saved ${saved.name}: ${warnings.join('; ')}` : `Saved ${saved.name}`);
                undo(saved as Database);
                ask(false);
                if (saved.name !== database.name)
                  await navigate({
                    to: '/databases/$database/settings',
                    params: { database: saved.name },
                    replace: true,
                  });
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

interface ActionsProps {
  database: Database;
  draft: Edited;
  changes: Record<string, Plain>;
  isChanged: boolean;
  busy: boolean;
  tryOut: () => void;
  children: ReactNode;
}

function Actions({ database, draft, changes, isChanged, busy, tryOut, children }: ActionsProps) {
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
      {children}
      <span className="ml-auto flex flex-wrap">
        <AsText title="As YAML" name="YAML" text={() => entryYaml('databases', writtenOf(draft))}>
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

const IN_FORM = {
  slot_missing: 'or tick “Create the slot if it does not exist” under Advanced',
  publication_missing: 'or tick “Create the publication if it does not exist” under Advanced',
  not_encrypted: 'Choose “Required” under TLS where the network between is not yours.',
};

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
        <CheckList checks={checks} hostname={draft.hostname} inForm={IN_FORM} again={again} />
      </div>
    );
  return test.error === null ? null : <ErrorNote error={test.error} />;
}
