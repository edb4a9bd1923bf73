/** A gap: capture stands still until somebody decides. What happened, what each sink misses, and the two ways on. */
import { useState } from 'react';
import { useCall } from '../../api/queries.ts';
import { plural } from '../../lib/format.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Checkbox } from '../../parts/field.tsx';
import { State } from '../../parts/icons.tsx';
import { Section } from '../../parts/page.tsx';
import { Remedy } from '../../parts/remedy.tsx';
import { Ago } from '../../parts/time.tsx';
import { say } from '../../parts/toast.tsx';
import { kindOf } from '../sinks/kinds.ts';
import { Missed, useMissing } from './missed.tsx';
import type { Database } from './use-database.ts';

/** `isUnderWay`: a resync of it is running already. */
export function Gap({ database, isUnderWay }: { database: Database; isUnderWay: boolean }) {
  const { name, state } = database;
  const { sinks } = useMissing(name);
  const [asked, ask] = useState<'resync' | 'accept' | null>(null);
  const because = isUnderWay ? 'A resync is in progress' : null;
  return (
    <Section
      title="Changes were missed"
      actions={
        <>
          <Button needs="operate" because={because} onClick={() => ask('accept')}>
            Accept the gap…
          </Button>
          <Button look="primary" needs="operate" because={because} onClick={() => ask('resync')}>
            Resync…
          </Button>
        </>
      }
    >
      <div className="mb-3 rounded-md border border-danger px-4 py-3">
        <State state="needs_resync" word="Capture has stopped" />
        <div className="mt-1 font-medium">
          <Remedy finding={{ summary: state.reason ?? 'Changes may have been missed.' }} />
        </div>
        <p className="text-muted">
          Stopped <Ago at={state.since} />. Nothing is captured from {name} until you decide. No message already
          captured is lost.
        </p>
      </div>
      {sinks.length > 0 && <Missed sinks={sinks} />}
      <ResyncDialog database={name} open={asked === 'resync'} onClose={() => ask(null)} />
      <AcceptDialog database={name} open={asked === 'accept'} onClose={() => ask(null)} />
    </Section>
  );
}

interface DialogProps {
  database: string;
  open: boolean;
  onClose: () => void;
  /** Although nothing is known to be missing. */
  force?: boolean;
}

export function ResyncDialog({ database, open, onClose, force = false }: DialogProps) {
  const { sinks, isKnown } = useMissing(database, open);
  const [verify, setVerify] = useState(true);
  const resync = useCall('post', '/api/postgres_databases/{database}/resyncs');
  const rows = sinks.reduce((sum, one) => sum + (one.rows ?? 0), 0);
  const taking = sinks.filter(({ kind }) => !kindOf(kind).isRetention);
  return (
    <Confirm
      title={`Resync ${database}?`}
      open={open}
      onClose={onClose}
      look="primary"
      action={isKnown && rows > 0 ? `Resync and send about ${plural(rows, 'row')}` : 'Resync'}
      busy={resync.isPending}
      error={resync.error}
      onConfirm={() =>
        resync.mutate(
          { path: { database }, body: { force, verify } },
          {
            onSuccess: () => {
              say(`Resync of ${database} started`);
              onClose();
            },
          },
        )
      }
    >
      <ol className="mb-3 list-decimal space-y-0.5 pl-5">
        <li>The gap is accepted and a new epoch begins.</li>
        <li>Capture recreates what it needs in the source if it is gone, and continues from now.</li>
        <li>
          All rows are sent to {plural(taking.length, 'sink')}
          {taking.length > 0 && `: ${taking.map(({ name }) => name).join(', ')}`}.
        </li>
        {verify && <li>Search indexes are compared with their tables and repaired.</li>}
      </ol>
      {sinks.length > 0 && <Missed sinks={sinks} />}
      <div className="mt-2">
        <Checkbox
          label="Compare search indexes afterwards"
          hint="Without this, documents of rows deleted in the meantime remain."
          checked={verify}
          onChange={({ target }) => setVerify(target.checked)}
        />
      </div>
    </Confirm>
  );
}

function AcceptDialog({ database, open, onClose }: DialogProps) {
  const accept = useCall('post', '/api/postgres_databases/{database}/accept_gap');
  return (
    <Confirm
      title="Accept the gap without sending rows?"
      open={open}
      onClose={onClose}
      action="Accept the gap"
      typed={database}
      busy={accept.isPending}
      error={accept.error}
      onConfirm={() =>
        accept.mutate(
          { path: { database }, body: {} },
          {
            onSuccess: ({ epoch }) => {
              say(`${database} is now in epoch ${epoch}`);
              onClose();
            },
          },
        )
      }
    >
      <p>
        Capture continues from now. Changes made in between reach no sink until the row changes again: indexes keep old
        documents, and documents of deleted rows.
      </p>
    </Confirm>
  );
}
