/** A function that is not there yet. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { ErrorNote } from '../../parts/places.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import { say } from '../../parts/toast.tsx';
import type { Source } from './samples.ts';
import { type FnType, TYPE_NAMES, TYPES } from './types.ts';
import { Workbench } from './workbench.tsx';

const ABOVE = [{ to: '/functions', label: 'Functions' }];

export function NewFunction() {
  const { type: wanted = 'transform', database, table } = useSearch({ from: '/inside/functions/new' });
  const [type, setType] = useState<FnType>(wanted);
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [code, setCode] = useState(TYPES[wanted].code);
  const make = useCall('post', '/api/functions');
  const navigate = useNavigate();
  const source: Source | null =
    database !== undefined && table !== undefined ? { from: 'rows', database, table } : null;
  const choose = (next: FnType): void => {
    // What somebody wrote stays.
    if (code === TYPES[type].code) setCode(TYPES[next].code);
    setType(next);
  };
  const create = (): void => {
    const text = type === 'path' ? { path: code.trim() } : { code };
    make.mutate(
      { body: { name, type, ...(description === '' ? {} : { description }), ...text } },
      {
        onSuccess: () => {
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
        <Button
          look="primary"
          needs="admin"
          busy={make.isPending}
          because={name.trim() === '' ? 'Enter a name first' : null}
          onClick={create}
        >
          Create function
        </Button>
      }
    >
      <div className="space-y-4">
        <div className="grid gap-4 sm:grid-cols-3">
          <Field
            label="Name"
            placeholder="product-document"
            value={name}
            onChange={({ target }) => setName(target.value)}
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
            onChange={({ target }) => setDescription(target.value)}
            errors={fieldErrors(make.error, 'description')}
          />
        </div>
        {make.error && <ErrorNote error={make.error} />}
        <Workbench type={type} code={code} onChange={setCode} source={source} />
      </div>
    </Page>
  );
}
