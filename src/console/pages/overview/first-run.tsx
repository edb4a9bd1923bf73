/** For somebody who is here for the first time: what to do first. In the playground, what to try. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { createStore, useStore } from '../../lib/store.ts';
import { Button, buttonLook } from '../../parts/button.tsx';
import { Code } from '../../parts/code.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Empty, ErrorNote, Note } from '../../parts/places.tsx';

export function Connect() {
  return (
    <Empty title="Connect your first database">
      <p className="mb-4">
        Millrace reads the changes of a Postgres database and delivers them to search indexes, webhooks, workers and
        change tables. Paste its address; what is missing there is found, with the SQL for it.
      </p>
      <Link to="/databases/new" className={buttonLook('primary')}>
        Connect a database
      </Link>
    </Empty>
  );
}

const dismissed = createStore(false, 'playground-dismissed');

/** What the playground declares; see also what `npm start` prints. */
const CONSUMER = 'orders-worker';
const HISTORY = 'orders-history';

export function Playground() {
  const [receiving, setReceiving] = useState(false);
  if (useStore(dismissed)) return null;
  return (
    <section aria-labelledby="playground" className="mb-6 rounded-md border border-line bg-surface p-4">
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <h2 id="playground" className="text-lg font-semibold">
          This playground is a small shop that changes every two seconds
        </h2>
        <Button look="quiet" className="ml-auto" onClick={() => dismissed.set(true)}>
          Dismiss
        </Button>
      </div>
      <ul className="grid gap-3 lg:grid-cols-3">
        <Card title="See it arrive" text="Each change to an order becomes an entry in a change table.">
          <Link to="/change-retentions/$retention/entries" params={{ retention: HISTORY }} className={buttonLook()}>
            Open {HISTORY}
          </Link>
        </Card>
        <Card title="Receive five changes" text="A worker receives over HTTP and acknowledges what it has handled.">
          <Button needs="admin" onClick={() => setReceiving(true)}>
            Create a token and a command
          </Button>
        </Card>
        <Card title="Connect your own database" text="Its address is enough. Nothing is changed there without asking.">
          <Link to="/databases/new" className={buttonLook('primary')}>
            Connect a database
          </Link>
        </Card>
      </ul>
      <Receive open={receiving} onClose={() => setReceiving(false)} />
    </section>
  );
}

function Card({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  return (
    <li className="flex flex-col items-start gap-2 rounded-md border border-line bg-bg p-3">
      <h3 className="font-medium">{title}</h3>
      <p className="mb-auto text-sm text-muted">{text}</p>
      {children}
    </li>
  );
}

function Receive({ open, onClose }: { open: boolean; onClose: () => void }) {
  const make = useCall('post', '/api/api_keys');
  const scope = `consume:${CONSUMER}`;
  const begin = (): void => {
    make.mutate({ body: { name: `playground-${Date.now()}`, scopes: [scope] } });
  };
  return (
    <Dialog title="Receive five changes" open={open} onClose={onClose}>
      <p className="mb-3">
        The token may only receive from {CONSUMER}. A message is delivered again after 30 s unless its{' '}
        <code className="font-mono text-sm">ack_id</code> is acknowledged.
      </p>
      {make.error && <ErrorNote error={make.error} />}
      {make.data === undefined ? (
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button look="primary" needs="admin" busy={make.isPending} onClick={begin}>
            Create the token
          </Button>
        </div>
      ) : (
        <>
          <Note tone="warn">Copy the token now: it is not shown again.</Note>
          <Code
            name="curl"
            text={`curl -s -H "Authorization: Bearer ${make.data.token}" \\\n  "${location.origin}/api/http_pull_consumers/${CONSUMER}/receive?batch_size=5&wait_for=10s"`}
          />
          <p>
            Then see{' '}
            <Link
              to="/sinks/$sink/messages"
              params={{ sink: CONSUMER }}
              search={{ state: 'leased' }}
              className="text-accent hover:underline"
            >
              what is leased
            </Link>
            .
          </p>
          <div className="mt-3 flex justify-end">
            <Button look="primary" onClick={onClose}>
              Close
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
