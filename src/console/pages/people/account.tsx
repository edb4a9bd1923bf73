/** One's own password and sessions. */
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { usePerson } from '../../api/person.ts';
import { useCall, useGet } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Badge } from '../../parts/icons.tsx';
import { Page, Section } from '../../parts/page.tsx';
import { ErrorNote, Loaded } from '../../parts/places.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { say } from '../../parts/toast.tsx';
import { PasswordField } from './users.tsx';

type Session = Schemas['Session'];

export function Account() {
  const { who } = usePerson();
  return (
    <Page title={who?.user?.email ?? 'My account'}>
      <Section title="Password">{who?.user && <OwnPassword id={who.user.id} />}</Section>
      <Sessions />
    </Page>
  );
}

function OwnPassword({ id }: { id: string }) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const set = useCall('post', '/api/users/{id}/password');
  return (
    <form
      className="max-w-sm space-y-4"
      onSubmit={(event) => {
        event.preventDefault();
        const onSuccess = (): void => {
          say('Password changed; other sessions have ended');
          setCurrent('');
          setPassword('');
        };
        set.mutate({ path: { id }, body: { current_password: current, password } }, { onSuccess });
      }}
    >
      <PasswordField
        label="Current password"
        isCurrent
        value={current}
        onChange={setCurrent}
        errors={fieldErrors(set.error, 'current_password')}
      />
      <PasswordField
        label="New password"
        value={password}
        onChange={setPassword}
        hint="8 characters or more"
        errors={fieldErrors(set.error, 'password')}
      />
      {set.error && <ErrorNote error={set.error} />}
      <Button look="primary" type="submit" busy={set.isPending}>
        Change password
      </Button>
    </form>
  );
}

function Sessions() {
  const query = useGet('/api/sessions', {}, { every: 10_000 });
  const end = useCall('delete', '/api/sessions/{id}');
  const endAll = useCall('delete', '/api/sessions');
  const others = query.data?.data.filter(({ is_current }) => !is_current).length ?? 0;
  return (
    <Section
      title="Sessions"
      actions={
        <Button
          because={others === 0 ? 'There is no other session' : null}
          busy={endAll.isPending}
          onClick={() => endAll.mutate({}, { onSuccess: () => say('Other sessions have ended') })}
        >
          End all other sessions
        </Button>
      }
    >
      {(end.error ?? endAll.error) && <ErrorNote error={(end.error ?? endAll.error)!} />}
      <Loaded query={query}>
        {({ data }) => (
          <Table
            label="Sessions"
            columns={columnsOf((id) => end.mutate({ path: { id } }, { onSuccess: () => say('The session has ended') }))}
            rows={data}
            keyOf={({ id }) => id}
          />
        )}
      </Loaded>
    </Section>
  );
}

const columnsOf = (end: (id: string) => void): readonly Column<Session>[] => [
  {
    key: 'agent',
    heading: 'Browser',
    cell: ({ user_agent, is_current }) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        <span className="max-w-xl truncate max-sm:whitespace-normal">{user_agent ?? 'unknown'}</span>
        {is_current && <Badge tone="ok">this one</Badge>}
      </span>
    ),
  },
  { key: 'address', heading: 'Address', cell: ({ address }) => address ?? '–' },
  { key: 'since', heading: 'Logged in', isFigure: true, cell: ({ inserted_at }) => <Ago at={inserted_at} /> },
  { key: 'used', heading: 'Last used', isFigure: true, cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
  {
    key: 'act',
    heading: <span className="sr-only">Actions</span>,
    isFigure: true,
    cell: ({ id, is_current }) =>
      !is_current && (
        <Button look="quiet" onClick={() => end(id)}>
          End
        </Button>
      ),
  },
];
