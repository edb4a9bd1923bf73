/** People: invited, given scopes, removed. */
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { usePerson } from '../../api/person.ts';
import { useAll, useCall } from '../../api/queries.ts';
import { plural } from '../../lib/format.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { ErrorNote, Loaded } from '../../parts/places.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import { SearchedTable } from '../../parts/searched-table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { say } from '../../parts/toast.tsx';
import { ScopeFields, ScopeList } from './scopes.tsx';

type User = Schemas['User'];
type Doing = { what: 'edit' | 'password' | 'end' | 'remove'; user: User } | { what: 'new' } | null;

export function Users() {
  const query = useAll('/api/users', { every: 10_000 });
  const [doing, setDoing] = useState<Doing>(null);
  const close = (): void => setDoing(null);
  return (
    <Page
      title="Users"
      actions={
        <Button look="primary" needs="admin" onClick={() => setDoing({ what: 'new' })}>
          New user
        </Button>
      }
    >
      <Loaded query={query}>
        {({ data }) => (
          <SearchedTable
            label="Users"
            columns={columnsOf(setDoing)}
            rows={data}
            keyOf={({ id }) => id}
            textOf={({ email, name }) => `${email} ${name ?? ''}`}
          />
        )}
      </Loaded>
      {doing?.what === 'new' && <UserForm onClose={close} />}
      {doing?.what === 'edit' && <UserForm user={doing.user} onClose={close} />}
      {doing?.what === 'password' && <NewPassword user={doing.user} onClose={close} />}
      {(doing?.what === 'end' || doing?.what === 'remove') && (
        <Ending what={doing.what} user={doing.user} onClose={close} />
      )}
    </Page>
  );
}

const columnsOf = (act: (doing: Doing) => void): readonly Column<User>[] => [
  {
    key: 'email',
    heading: 'User',
    cell: ({ email, name }) => (
      <>
        <span className="font-medium">{email}</span> {name !== null && <span className="text-muted">{name}</span>}
      </>
    ),
  },
  { key: 'scopes', heading: 'Scopes', cell: ({ scopes }) => <ScopeList scopes={scopes} /> },
  { key: 'login', heading: 'Last login', isFigure: true, cell: ({ last_login_at }) => <Ago at={last_login_at} /> },
  { key: 'sessions', heading: 'Sessions', isFigure: true, cell: ({ sessions }) => sessions },
  {
    key: 'act',
    heading: <span className="sr-only">Actions</span>,
    isFigure: true,
    cell: (user) => <UserActions user={user} act={act} />,
  },
];

function UserActions({ user, act }: { user: User; act: (doing: Doing) => void }) {
  const { who } = usePerson();
  const named = <span className="sr-only"> {user.email}</span>;
  return (
    <span className="inline-flex flex-wrap justify-end">
      <Button look="quiet" needs="admin" onClick={() => act({ what: 'edit', user })}>
        Edit{named}
      </Button>
      <Button look="quiet" needs="admin" onClick={() => act({ what: 'password', user })}>
        Set password{named}
      </Button>
      <Button
        look="quiet"
        needs="admin"
        because={user.sessions === 0 ? 'This user has no session' : null}
        onClick={() => act({ what: 'end', user })}
      >
        End sessions{named}
      </Button>
      <Button
        look="quiet"
        needs="admin"
        because={who?.user?.id === user.id ? 'This is you' : null}
        onClick={() => act({ what: 'remove', user })}
      >
        Remove{named}
      </Button>
    </span>
  );
}

/** Makes one, or edits `user`. */
function UserForm({ user, onClose }: { user?: User; onClose: () => void }) {
  const [email, setEmail] = useState(user?.email ?? '');
  const [name, setName] = useState(user?.name ?? '');
  const [password, setPassword] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(user?.scopes ?? ['admin']);
  const make = useCall('post', '/api/users');
  const change = useCall('patch', '/api/users/{id}');
  const { error, isPending } = user ? change : make;
  const shared = { email, name: name === '' ? null : name, scopes: [...scopes] };
  // What somebody else changes meanwhile stays: scopes that were taken away, above all.
  const changed = Object.fromEntries(
    Object.entries(shared).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(user?.[key])),
  );
  const onSuccess = (): void => {
    say(user ? `Saved ${email}` : `${email} can log in now`);
    onClose();
  };
  return (
    <Dialog title={user ? user.email : 'New user'} open onClose={onClose} isForm>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          if (user) change.mutate({ path: { id: user.id }, body: changed }, { onSuccess });
          else make.mutate({ body: { ...shared, password } }, { onSuccess });
        }}
      >
        <Field
          label="Email"
          value={email}
          onChange={({ target }) => setEmail(target.value)}
          errors={fieldErrors(error, 'email', 'email')}
          required
        />
        <Field
          label="Name"
          value={name}
          onChange={({ target }) => setName(target.value)}
          errors={fieldErrors(error, 'name', 'email')}
        />
        {!user && (
          <PasswordField
            value={password}
            onChange={setPassword}
            errors={fieldErrors(error, 'password')}
            hint="8 characters or more. Do not send it by email"
          />
        )}
        <ScopeFields value={{ scopes }} onChange={(next) => setScopes(next.scopes)} />
        {error && <ErrorNote error={error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={isPending}>
            {user ? 'Save' : 'Create user'}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface PasswordProps {
  label?: string;
  value: string;
  onChange: (next: string) => void;
  errors?: readonly string[] | undefined;
  hint?: string;
  isCurrent?: boolean;
}

export function PasswordField({ label = 'Password', value, onChange, errors, hint, isCurrent = false }: PasswordProps) {
  return (
    <Field
      label={label}
      type="password"
      autoComplete={isCurrent ? 'current-password' : 'new-password'}
      hint={hint}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      errors={errors}
      minLength={isCurrent ? undefined : 8}
      required
    />
  );
}

function NewPassword({ user, onClose }: { user: User; onClose: () => void }) {
  const [password, setPassword] = useState('');
  const set = useCall('post', '/api/users/{id}/password');
  return (
    <Dialog title={`New password for ${user.email}`} open onClose={onClose} isForm>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          const onSuccess = (): void => {
            say(`${user.email} has a new password`);
            onClose();
          };
          set.mutate({ path: { id: user.id }, body: { password } }, { onSuccess });
        }}
      >
        <PasswordField
          value={password}
          onChange={setPassword}
          errors={fieldErrors(set.error, 'password')}
          hint="8 characters or more. All their sessions end"
        />
        {set.error && <ErrorNote error={set.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={set.isPending}>
            Set password
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Ending({ what, user, onClose }: { what: 'end' | 'remove'; user: User; onClose: () => void }) {
  const end = useCall('delete', '/api/sessions');
  const remove = useCall('delete', '/api/users/{id}');
  const isRemoving = what === 'remove';
  const done = (said: string) => ({
    onSuccess: () => {
      say(said);
      onClose();
    },
  });
  return (
    <Confirm
      title={isRemoving ? `Remove ${user.email}?` : `End all sessions of ${user.email}?`}
      open
      onClose={onClose}
      action={isRemoving ? 'Remove' : 'End sessions'}
      typed={isRemoving ? user.email : undefined}
      busy={end.isPending || remove.isPending}
      error={isRemoving ? remove.error : end.error}
      onConfirm={() =>
        isRemoving
          ? remove.mutate({ path: { id: user.id } }, done(`Removed ${user.email}`))
          : end.mutate({ query: { user: user.id } }, done(`Logged ${user.email} out everywhere`))
      }
    >
      {isRemoving
        ? 'Their sessions end at once. Their entries in the audit log remain.'
        : `This ends ${plural(user.sessions, 'session')}. They can log in again.`}
    </Confirm>
  );
}
