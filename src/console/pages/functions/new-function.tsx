/** A function that is not there yet. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { useStoredDraft } from '../../parts/form/stored-draft.ts';
import { Page } from '../../parts/page.tsx';
import { ErrorNote } from '../../parts/places.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import { say } from '../../parts/toast.tsx';
import type { Source } from './samples.ts';
import { type FnType, TYPE_NAMES, TYPES } from './types.ts';
import { Workbench } from './workbench.tsx';

const ABOVE = [{ to: '/functions', label: 'Functions' }];

interface Draft {
  type: FnType;
  name: string;
  description: string;
  code: string;
}

const kept = (draft: Draft): Draft | null =>
  draft.name === '' && draft.description === '' && draft.code === TYPES[draft.type].code ? null : draft;

export function NewFunction() {
  const { type = 'transform', database, table } = useSearch({ from: '/inside/functions/new' });
  const [revision, setRevision] = useState(0);
  const source: Source | null =
    database !== undefined && table !== undefined ? { from: 'rows', database, table } : null;
  return <Form key={`${type} ${revision}`} wanted={type} source={source} onAgain={() => setRevision(revision + 1)} />;
}

interface FormProps {
  wanted: FnType;
  source: Source | null;
  onAgain: () => void;
}

function Form({ wanted, source, onAgain }: FormProps) {
  const { draft, setDraft, forget } = useStoredDraft<Draft>({
    key: `new-${wanted}`,
    begin: (found) => found ?? { type: wanted, name: '', description: '', code: TYPES[wanted].code },
    kept,
  });
  const { type, name, description, code } = draft;
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const make = useCall('post', '/api/functions');
  const navigate = useNavigate();
  const choose = (next: FnType): void => {
    // What somebody wrote stays.
    change({ type: next, ...(code === TYPES[type].code ? { code: TYPES[next].code } : {}) });
  };
  const create = (): void => {
    const text = type === 'path' ? { path: code.trim() } : { code };
    make.mutate(
      { body: { name, type, ...(description === '' ? {} : { description }), ...text } },
      {
        onSuccess: () => {
          forget();
          say(`Created ${name}`);
          void navigate({ to: '/functions/$fn', params: { fn: name } });
        },
      },
    );
  };
  return (
    <Page
      title="New function"
      above={ABOVE}
      actions={
        <>
          <Button
            look="quiet"
            onClick={() => {
              forget();
              onAgain();
            }}
          >
            Start over
          </Button>
          <Button
            look="primary"
            needs="admin"
            busy={make.isPending}
            because={name.trim() === '' ? 'Enter a name first' : null}
            onClick={create}
          >
            Create function
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <div className="grid gap-4 sm:grid-cols-3">
          <Field
            label="Name"
            placeholder="product-document"
            value={name}
            onChange={({ target }) => change({ name: target.value })}
            errors={fieldErrors(make.error, 'name')}
          />
          <Select
            label="Type"
            hint={TYPES[type].sentence}
            value={type}
            onChange={({ target }) => choose(target.value as FnType)}
          >
            {TYPE_NAMES.map((each) => (
              <option key={each} value={each}>
                {TYPES[each].title}
              </option>
            ))}
          </Select>
          <Field
            label="Description"
            value={description}
            onChange={({ target }) => change({ description: target.value })}
            errors={fieldErrors(make.error, 'description')}
          />
        </div>
        {make.error && <ErrorNote error={make.error} />}
        <Workbench type={type} code={code} onChange={(next) => change({ code: next })} source={source} />
      </div>
    </Page>
  );
}
