/** A database is connected: its address, the checks of it one by one, and then it is there. */
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useRef } from 'react';
import type { ApiError } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { curlOf } from '../../lib/curl.ts';
import { entryYaml } from '../../lib/yaml.ts';
import { AsText } from '../../parts/as-text.tsx';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { useStoredDraft } from '../../parts/form/stored-draft.ts';
import { State } from '../../parts/icons.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { ErrorNote, Note } from '../../parts/places.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import { say } from '../../parts/toast.tsx';
import { AddressFields } from './address-fields.tsx';
import { type Check, Checking, CheckList } from './check-list.tsx';
import { type Draft, EMPTY, entryOf } from './draft.ts';
import { SlotFields, TRIGGERS } from './slot-fields.tsx';

const ABOVE = [{ to: '/databases', label: 'Databases' }];
const PATH = '/api/postgres_databases';

/** The checks that a refusal brings along. */
export const checksOf = (error: ApiError | null): readonly Check[] | null =>
  Array.isArray(error?.body.checks) ? (error.body.checks as Check[]) : null;

const isBegun = (draft: Draft): boolean =>
  Object.entries(EMPTY).some(([key, value]) => draft[key as keyof Draft] !== value);

/** An address that is not taken apart may have the password in it. */
const kept = (draft: Draft): Draft | null => {
  const safe = { ...draft, url: '', password: '' };
  return isBegun(safe) ? safe : null;
};

export function Connect() {
  const { revision, startOver, ...form } = useStoredDraft<Draft>({
    key: 'new-database',
    begin: (found) => ({ ...EMPTY, ...found }),
    kept,
  });
  return <Form key={revision} {...form} again={() => startOver(EMPTY)} />;
}

interface FormProps {
  draft: Draft;
  setDraft: (next: (before: Draft) => Draft) => void;
  again: () => void;
  forget: () => void;
}

function Form({ draft, setDraft, again, forget }: FormProps) {
  const navigate = useNavigate();
  const test = useCall('post', '/api/postgres_databases/test_connection');
  const create = useCall('post', '/api/postgres_databases');
  const body = entryOf(draft);
  const refused = create.error ?? test.error;
  const change = (part: Partial<Draft>): void => {
    // That all was well is true of what was looked at; what was wrong stays to be corrected.
    if (!test.isError) test.reset();
    setDraft((known) => ({ ...known, ...part }));
  };
  const check = (): void => {
    create.reset();
    const { name, ...rest } = body;
    test.mutate({ body: name === '' ? rest : { name, ...rest } });
  };
  const connect = (event: FormEvent): void => {
    event.preventDefault();
    test.reset();
    create.mutate(
      { body },
      {
        onSuccess: ({ name }) => {
          forget();
          say(`Connected ${name}`);
          void navigate({ to: '/databases/$database/overview', params: { database: name } });
        },
      },
    );
  };
  return (
    <Page title="Connect a database" above={ABOVE} actions={<Texts draft={draft} again={again} />}>
      <form onSubmit={connect} className="max-w-3xl">
        <Section title="Address">
          <AddressFields {...{ draft, change, error: refused }} />
        </Section>
        <Section title="Slot and publication">
          <SlotFields {...{ draft, change, error: refused }} />
        </Section>
        <div className="mb-6 max-w-md">
          <Field
            label="Name"
            hint="Used in addresses, metrics and messages"
            value={draft.name}
            onChange={({ target }) => change({ name: target.value })}
            errors={fieldErrors(refused, 'name')}
            required
          />
        </div>
        <Found
          {...{ error: refused, checked: test.data?.checks ?? null, draft }}
          again={check}
          busy={test.isPending || create.isPending}
        >
          {draft.capture === 'replication' && (
            <Note tone="warn">
              {TRIGGERS} <Button onClick={() => change({ capture: 'triggers' })}>Capture by triggers</Button>
            </Note>
          )}
        </Found>
      </form>
    </Page>
  );
}

interface FoundProps {
  error: ApiError | null;
  checked: readonly Check[] | null;
  draft: Draft;
  again: () => void;
  busy: boolean;
  /** Shown where replication is not to be had. */
  children: ReactNode;
}

const CREATE = 'or tick “Create slot and publication” above';
const IN_FORM = {
  ...{ slot_missing: CREATE, publication_missing: CREATE },
  not_encrypted: 'Choose “Required” under TLS where the network between is not yours.',
};

const NO_REPLICATION = new Set(['wal_level', 'may_not_replicate', 'output_plugin']);

/** The two buttons, and under them what was found. */
function Found({ error, checked, draft, again, busy, children }: FoundProps) {
  const checks = checked ?? checksOf(error);
  const button = useRef<HTMLButtonElement>(null);
  const because = draft.url === '' && draft.hostname === '' ? 'Enter the address of the database first' : null;
  const wrong = checks?.filter(({ status }) => status === 'error').length ?? 0;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <Button ref={button} needs="admin" busy={busy} because={because} onClick={again}>
          Check connection
        </Button>
        <Button look="primary" type="submit" needs="admin" busy={busy} because={because}>
          Connect
        </Button>
        <span role="status">
          {checks !== null && !busy && (
            <State
              state={wrong === 0 ? 'ok' : 'check_error'}
              word={wrong === 0 ? 'Ready to be captured' : wrong === 1 ? 'One problem' : `${wrong} problems`}
            />
          )}
        </span>
      </div>
      {busy ? (
        <Checking capture={draft.capture} />
      ) : checks === null ? (
        error !== null && <ErrorNote error={error} />
      ) : (
        <>
          <CheckList
            checks={checks}
            hostname={draft.hostname}
            inForm={IN_FORM}
            again={() => {
              // The list goes while it is asked for anew, with the button in it that was pressed.
              button.current?.focus();
              again();
            }}
          />
          {checks.some(({ id, status }) => status === 'error' && NO_REPLICATION.has(id)) && (
            <div className="mt-3">{children}</div>
          )}
        </>
      )}
    </>
  );
}

function Texts({ draft, again }: Pick<FormProps, 'draft' | 'again'>) {
  const entry = entryOf(draft, true);
  return (
    <>
      <Button look="quiet" onClick={again}>
        Start over
      </Button>
      <AsText title="As YAML" name="YAML" text={() => entryYaml('databases', entry)}>
        For the configuration file. Fill in the password, or take it from the environment.
      </AsText>
      <AsText title="As curl" name="curl" text={() => curlOf('POST', PATH, entry)}>
        It needs a token with the scope admin in MILLRACE_TOKEN. Fill in the password.
      </AsText>
    </>
  );
}
