/** Where the database is: a pasted address is taken apart; one of a pooler is seen, and the direct one is offered. */
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { ApiError } from '../../api/client.ts';
import { nameFrom } from '../../lib/name.ts';
import { Button } from '../../parts/button.tsx';
import { Mono } from '../../parts/code.tsx';
import { Field, SecretField, Select, TextArea } from '../../parts/field.tsx';
import { Note } from '../../parts/places.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import { poolerOf, takeApart } from './address.ts';
import type { Draft } from './draft.ts';

/** Also of a stored database, which does not say in one word what is made. */
type Place = Omit<Draft, 'creates'>;

interface Fields<Shown extends Place = Draft> {
  draft: Shown;
  change: (part: Partial<Place>) => void;
  error: ApiError | null;
  isStored?: boolean;
}

export function AddressFields({ draft, change, error }: Fields) {
  // What was begun before is in fields.
  const [isWhole, setWhole] = useState(draft.hostname === '');
  const parts = useRef<HTMLDivElement>(null);
  const showParts = (): void => {
    flushSync(() => setWhole(false));
    parts.current?.querySelector('input')?.focus();
  };
  const paste = (text: string): void => {
    const found = takeApart(text);
    const isProposed = draft.name === '' || draft.name === nameFrom(takeApart(draft.url)?.database ?? '');
    const name = isProposed ? nameFrom(found?.database ?? '') : draft.name;
    // What is typed character by character is left alone: only “Enter fields” says that it is whole.
    if (found === null || found.hostname === '' || text.length <= draft.url.length + 1) change({ url: text, name });
    else {
      change({ ...found, url: '', name });
      showParts();
    }
  };
  if (!isWhole) {
    return (
      <div ref={parts}>
        <PlaceFields {...{ draft, change, error }} />
        <p className="mt-2">
          <Button look="quiet" className="-ml-3" onClick={() => setWhole(true)}>
            Paste an address
          </Button>
        </p>
      </div>
    );
  }
  return (
    <>
      <Field
        label="Address"
        hint="Paste the whole address with its password. It is split into fields, and the password is stored encrypted."
        placeholder="postgres://user:password@host:5432/database"
        value={draft.url}
        onChange={({ target }) => paste(target.value)}
        errors={fieldErrors(error, 'url') ?? fieldErrors(error, 'hostname')}
        spellCheck={false}
        autoFocus
      />
      <p className="mt-2">
        <Button
          look="quiet"
          className="-ml-3"
          onClick={() => {
            change({ ...(takeApart(draft.url) ?? {}), url: '' });
            showParts();
          }}
        >
          Enter fields
        </Button>
      </p>
    </>
  );
}

/** The parts of an address, one by one. */
export function PlaceFields({ draft, change, error, isStored = false }: Fields<Place>) {
  const set = (key: keyof Place) => (event: { target: { value: string } }) => change({ [key]: event.target.value });
  const errors = (field: string) => fieldErrors(error, field);
  return (
    <div className="space-y-3">
      <div className="grid gap-3 sm:grid-cols-[1fr_8rem]">
        <Field label="Host" value={draft.hostname} onChange={set('hostname')} errors={errors('hostname')} required />
        <Field
          label="Port"
          inputMode="numeric"
          value={draft.port}
          onChange={set('port')}
          errors={errors('port')}
          required
        />
      </div>
      <PoolerNote {...{ draft, change }} />
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label="Database"
          value={draft.database}
          onChange={({ target: { value } }) =>
            change({
              database: value,
              ...(draft.name === nameFrom(draft.database) && !isStored ? { name: nameFrom(value) } : {}),
            })
          }
          errors={errors('database')}
          required
        />
        <Select label="TLS" value={draft.ssl} onChange={set('ssl')} errors={errors('ssl') ?? errors('ssl.verify')}>
          <option value="prefer">If the server offers it, not verified</option>
          <option value="unverified">Required, not verified</option>
          <option value="ca">Required, certificate verified</option>
          <option value="true">Required, certificate and host name verified</option>
          <option value="false">None</option>
        </Select>
        {(draft.ssl === 'true' || draft.ssl === 'ca') && (
          <div className="sm:col-span-2">
            <TextArea
              label="Certificate of the authority (PEM)"
              rows={3}
              hint={draft.ssl === 'true' ? 'Leave empty if a public authority has signed the server’s' : undefined}
              value={draft.ca}
              onChange={set('ca')}
              errors={errors('ssl.ca')}
            />
          </div>
        )}
        <Field label="User" value={draft.username} onChange={set('username')} errors={errors('username')} />
        <SecretField
          label="Password"
          isStored={isStored}
          value={draft.password}
          onChange={set('password')}
          errors={errors('password')}
        />
      </div>
    </div>
  );
}

function PoolerNote({ draft, change }: Pick<Fields<Place>, 'draft' | 'change'>) {
  const pooler = poolerOf(draft);
  if (pooler === null) return null;
  const { direct } = pooler;
  return (
    <Note tone="warn" live>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-0 flex-1 basis-64 break-words">
          This is {pooler.name}: changes do not come through it. The direct address is{' '}
          <Mono>
            {direct.hostname}:{direct.port}
          </Mono>
          {direct.username !== draft.username && (
            <>
              , user <Mono>{direct.username}</Mono>
            </>
          )}
          .
        </p>
        <Button onClick={() => change(direct)}>Use it</Button>
      </div>
    </Note>
  );
}
