/** Removes a database: what goes with it, and what is left behind in the source. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useOverview } from '../../api/overview.ts';
import { Button } from '../../parts/button.tsx';
import { Code, Mono } from '../../parts/code.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { Section } from '../../parts/page.tsx';
import { Note } from '../../parts/places.tsx';
import { SinkLink } from '../../parts/sink-link.tsx';
import { say } from '../../parts/toast.tsx';
import { settingsOf } from './edited.ts';
import type { Database } from './use-database.ts';
import { useRemoval } from './use-removal.ts';

export function Remove({ database }: { database: Database }) {
  const { name } = database;
  const [asked, ask] = useState(false);
  const [left, setLeft] = useState<readonly string[] | null>(null);
  const navigate = useNavigate();
  const { data } = useOverview();
  const users = [
    ...(data?.sinks ?? []).map((sink) => ({ ...sink, home: '/sinks' as const })),
    ...(data?.change_retentions ?? []).map((sink) => ({ ...sink, home: '/change-retentions' as const })),
  ].filter(({ database: read }) => read === name);
  const gone = (): void => {
    say(`Removed ${name}`);
    void navigate({ to: '/databases' });
  };
  const removal = useRemoval(database, asked, (removed) => {
    ask(false);
    if (removed.left.length > 0) setLeft(removed.left);
    else gone();
  });
  return (
    <Section title="Remove">
      <div className="flex flex-wrap items-center gap-3 rounded-md border border-line px-4 py-3">
        <p className="min-w-0 flex-1 basis-72">
          {users.length === 0 ? (
            `Millrace forgets this database and drops the ${database.capture === 'triggers' ? 'triggers' : 'slot'} and publication it created there. Your rows are not touched.`
          ) : (
            <>
              Used by{' '}
              {users.map((sink, place) => (
                <span key={sink.name}>
                  {place > 0 && ', '}
                  <SinkLink home={sink.home} name={sink.name} className="text-accent underline" />
                </span>
              ))}
              . Delete {users.length === 1 ? 'it' : 'them'} first.
            </>
          )}
        </p>
        <Button
          look="danger"
          needs="admin"
          because={users.length > 0 ? 'A sink reads from it' : null}
          onClick={() => ask(true)}
        >
          Remove…
        </Button>
      </div>
      <Confirm
        title={`Remove ${name}?`}
        open={asked}
        onClose={() => {
          ask(false);
          // What it was refused for is asked for again: nothing is left behind by a word from another time.
          removal.reset();
        }}
        action={removal.mayStay ? 'Remove, and leave the rest behind' : 'Remove'}
        typed={name}
        busy={removal.isBusy}
        error={removal.error}
        onConfirm={removal.start}
      >
        <WhatGoes database={database} />
        {removal.isWaiting && (
          <div className="mt-3">
            <Note tone="idle" live>
              Capture still reads from it, and stops within half a minute. It is removed then.
            </Note>
          </div>
        )}
      </Confirm>
      <Dialog title="Left behind in the source" open={left !== null} onClose={gone}>
        <p>
          Run this in the source:{' '}
          {database.capture === 'triggers'
            ? 'triggers that nobody reads fill the disk with what they note.'
            : 'a slot that nobody reads keeps WAL until the disk is full.'}
        </p>
        <Code name="SQL" text={(left ?? []).map((sql) => `${sql};`).join('\n')} />
        <div className="mt-3 flex justify-end">
          <Button onClick={gone}>Done</Button>
        </div>
      </Dialog>
    </Section>
  );
}

function WhatGoes({ database }: { database: Database }) {
  const { slot, publication } = settingsOf(database);
  const byTriggers = database.capture === 'triggers';
  const parts = [
    ...(byTriggers ? [] : [{ what: 'Replication slot', ...slot }]),
    { what: 'Publication', ...publication },
  ];
  return (
    <ul className="list-disc space-y-0.5 pl-5">
      {byTriggers && (
        <li>
          The triggers and the schema <Mono>millrace_capture</Mono>, with what they have noted, are dropped.
        </li>
      )}
      {parts.map(({ what, name, create_if_not_exists: isOurs }) => (
        <li key={what}>
          {what} <Mono>{name}</Mono>{' '}
          {isOurs ? 'is dropped.' : 'was not created by Millrace: it stays, and you are told how to drop it.'}
        </li>
      ))}
      <li>The position of capture is forgotten. If you connect it again, capture starts from scratch.</li>
    </ul>
  );
}
