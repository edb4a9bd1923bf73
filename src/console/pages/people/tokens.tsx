/** API tokens: made, shown once, revoked. */
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useAll, useCall } from '../../api/queries.ts';
import { useZone } from '../../lib/clock.ts';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/code.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { timeOf } from '../../parts/filter-bar.tsx';
import { Badge } from '../../parts/icons.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, ErrorNote, Loaded, Note } from '../../parts/places.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import { SearchedTable } from '../../parts/searched-table.tsx';
import type { Column } from '../../parts/table.tsx';
import { Ago } from '../../parts/time.tsx';
import { say } from '../../parts/toast.tsx';
import { type Chosen, ScopeFields, ScopeList, scopesOf } from './scopes.tsx';

type Token = Schemas['ApiKey'];

export function Tokens() {
  const query = useAll('/api/api_keys', { every: 10_000 });
  const [making, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<Token | null>(null);
  return (
    <Page
      title="Tokens"
      actions={
        <Button look="primary" needs="admin" onClick={() => setMaking(true)}>
          New token
        </Button>
      }
    >
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No tokens yet">
              A program authenticates with a token: <code className="font-mono text-sm">Authorization: Bearer …</code>.
              Each token has scopes and may expire.
            </Empty>
          ) : (
            <SearchedTable
              label="Tokens"
              columns={columnsOf(setRevoking)}
              rows={data}
              keyOf={({ id }) => id}
              textOf={({ name, prefix }) => `${name} ${prefix ?? ''}`}
            />
          )
        }
      </Loaded>
      {making && <NewToken onClose={() => setMaking(false)} />}
      <Revoke token={revoking} onClose={() => setRevoking(null)} />
    </Page>
  );
}

const columnsOf = (revoke: (token: Token) => void): readonly Column<Token>[] => [
  {
    key: 'name',
    heading: 'Name',
    cell: ({ name, prefix, weak }) => (
      <span className="inline-flex flex-wrap items-center gap-2">
        <span className="font-medium">{name}</span>
        {prefix !== null && <span className="font-mono text-xs text-muted">{prefix}…</span>}
        {weak && <Badge tone="warn">weak</Badge>}
      </span>
    ),
  },
  { key: 'scopes', heading: 'Scopes', cell: ({ scopes }) => <ScopeList scopes={scopes} /> },
  {
    key: 'from',
    heading: 'Created by',
    cell: ({ managed_by, created_by }) => (managed_by === 'file' ? 'the file' : (created_by ?? '–')),
  },
  { key: 'used', heading: 'Last used', isFigure: true, cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
  {
    key: 'ends',
    heading: 'Expires',
    isFigure: true,
    cell: ({ expires_at, revoked_at }) =>
      revoked_at !== null ? (
        <Badge tone="danger">revoked</Badge>
      ) : expires_at === null ? (
        'never'
      ) : (
        <Ago at={expires_at} />
      ),
  },
  {
    key: 'act',
    heading: <span className="sr-only">Actions</span>,
    isFigure: true,
    cell: (token) =>
      token.revoked_at === null && (
        <Button look="quiet" needs="admin" onClick={() => revoke(token)}>
          Revoke<span className="sr-only"> {token.name}</span>
        </Button>
      ),
  },
];

function Revoke({ token, onClose }: { token: Token | null; onClose: () => void }) {
  const revoke = useCall('delete', '/api/api_keys/{id}');
  return (
    <Confirm
      title={`Revoke ${token?.name ?? 'token'}?`}
      open={token !== null}
      onClose={onClose}
      action="Revoke"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() =>
        revoke.mutate(
          { path: { id: token!.id } },
          {
            onSuccess: () => {
              say(`Revoked ${token!.name}`);
              onClose();
            },
          },
        )
      }
    >
      Whoever presents it is refused within a second, also while they wait for messages. It was last used{' '}
      <Ago at={token?.last_used_at} />.
    </Confirm>
  );
}

function NewToken({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState<Chosen>({ scopes: ['read'], consumers: '' });
  const [ends, setEnds] = useState('');
  const zone = useZone();
  const make = useCall('post', '/api/api_keys');
  if (make.data !== undefined)
    return <Made token={make.data.token} name={make.data.name} scopes={make.data.scopes} onClose={onClose} />;
  return (
    <Dialog title="New token" open onClose={onClose} isForm>
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault();
          make.mutate({
            body: {
              name,
              scopes: scopesOf(chosen),
              expires_at: (ends !== '' && timeOf(`${ends}T23:59:59`, zone)) || null,
            },
          });
        }}
      >
        <Field
          label="Name"
          value={name}
          onChange={({ target }) => setName(target.value)}
          errors={fieldErrors(make.error, 'name')}
          required
        />
        <ScopeFields value={chosen} onChange={setChosen} />
        <Field
          label="Valid through"
          type="date"
          hint={`To the end of that day, ${zone === 'utc' ? 'UTC' : 'in your local time zone'}. Leave empty for a token that does not expire`}
          value={ends}
          onChange={({ target }) => setEnds(target.value)}
        />
        {make.error && <ErrorNote error={make.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" type="submit" busy={make.isPending}>
            Create token
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function Made({
  token,
  name,
  scopes,
  onClose,
}: {
  token: string;
  name: string;
  scopes: readonly string[];
  onClose: () => void;
}) {
  const consumer = scopes.find((scope) => scope.startsWith('consume:'))?.slice('consume:'.length);
  const path =
    consumer === undefined
      ? '/api/whoami'
      : `/api/http_pull_consumers/${encodeURIComponent(consumer)}/receive?batch_size=5`;
  return (
    <Dialog title={`Created ${name}`} open onClose={() => undefined} isForm>
      <Note tone="warn">Copy the token now: it is not shown again.</Note>
      <Code text={token} name="token" />
      <p>Try it:</p>
      <Code text={`curl -s -H "Authorization: Bearer ${token}" "${location.origin}${path}"`} name="curl" />
      <div className="mt-3 flex justify-end">
        <Button look="primary" onClick={onClose}>
          I have copied it
        </Button>
      </div>
    </Dialog>
  );
}
