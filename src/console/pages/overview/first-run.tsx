/** For somebody who is here for the first time: what to do first. In the playground, what to try. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { createStore, useStore } from '../../lib/store.ts';
import { Button, buttonLook } from '../../parts/button.tsx';
import { Empty } from '../../parts/places.tsx';
import { ConsumerToken } from '../people/consumer-token.tsx';

export function Connect() {
  return (
    <Empty title="Connect your first database">
      <p className="mb-4">
        Millrace reads the changes of a Postgres database and delivers them to search indexes, webhooks, workers and
        change tables. Paste the address of your database: Millrace checks it, and shows the SQL for whatever is
        missing.
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
  return (
    <ConsumerToken
      title="Receive five changes"
      consumer={CONSUMER}
      open={open}
      onClose={onClose}
      name="curl"
      text={(token) =>
        `curl -s -H "Authorization: Bearer ${token}" \\\n  "${location.origin}/api/http_pull_consumers/${CONSUMER}/receive?batch_size=5&wait_for=10s"`
      }
    >
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
    </ConsumerToken>
  );
}
