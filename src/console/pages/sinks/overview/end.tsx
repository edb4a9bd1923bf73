/** What ends a sink, for a while or for good, and what is lost with it. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall } from '../../../api/queries.ts';
import { useSinkPaths } from '../../../api/sink-paths.ts';
import { count, plural } from '../../../lib/format.ts';
import { Button, type Look } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/dialog.tsx';
import { Section } from '../../../parts/page.tsx';
import { say } from '../../../parts/toast.tsx';
import type { AnySink } from '../use-sink.ts';

export function End({ sink }: { sink: AnySink }) {
  const [asked, setAsked] = useState(false);
  return (
    <Section title="Disable or delete">
      <div className="flex flex-wrap gap-2">
        {sink.status !== 'disabled' && <DisableButton sink={sink} look="danger" />}
        <Button look="danger" needs="admin" onClick={() => setAsked(true)}>
          Delete…
        </Button>
      </div>
      <Delete sink={sink} open={asked} onClose={() => setAsked(false)} />
    </Section>
  );
}

/** What is lost by it is asked first. */
export function DisableButton({ sink, look = 'plain' }: { sink: AnySink; look?: Look }) {
  const [asked, setAsked] = useState(false);
  return (
    <>
      <Button look={look} needs="operate" onClick={() => setAsked(true)}>
        Disable…
      </Button>
      <Disable sink={sink} open={asked} onClose={() => setAsked(false)} />
    </>
  );
}

interface AskedProps {
  sink: AnySink;
  open: boolean;
  onClose: () => void;
}

function Disable({ sink, open, onClose }: AskedProps) {
  const { paths, home } = useSinkPaths();
  const disable = useCall('post', paths.disable);
  const confirm = (): void =>
    disable.mutate(
      { path: { sink: sink.name } },
      {
        onSuccess() {
          say(`Disabled ${sink.name}`);
          onClose();
        },
      },
    );
  return (
    <Confirm
      title={`Disable ${sink.name}?`}
      action="Disable"
      busy={disable.isPending}
      error={disable.error}
      onConfirm={confirm}
      {...{ open, onClose }}
    >
      <p>
        Changes from now on are not kept for it. What is pending ({pendingOf(sink)}) stays, and is delivered once it is
        resumed; changes made in between are missing
        {home === '/sinks' ? ' until rows are sent again' : ' for good'}. Pause it instead to keep everything.
      </p>
    </Confirm>
  );
}

const pendingOf = ({ state: { pending, pending_is_estimate } }: AnySink): string =>
  `${pending_is_estimate ? 'about ' : ''}${plural(pending, 'message')}`;

function Delete({ sink, open, onClose }: AskedProps) {
  const { pending, pending_is_estimate, parked } = sink.state;
  const { paths, home } = useSinkPaths();
  const remove = useCall('delete', paths.one);
  const navigate = useNavigate();
  const isOfFile = sink.managed_by === 'file';
  const confirm = (): void =>
    remove.mutate(
      { path: { sink: sink.name }, query: { force: 'true', ...(isOfFile ? { release: 'true' } : {}) } },
      {
        async onSuccess() {
          await navigate({ to: home });
          say(`Deleted ${sink.name}`);
        },
      },
    );
  return (
    <Confirm
      title={`Delete ${sink.name}?`}
      action="Delete"
      typed={sink.name}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={confirm}
      {...{ open, onClose }}
    >
      <p>
        {pending_is_estimate && 'About '}
        {count(pending)} pending and {count(parked)} parked messages are lost. What has been delivered stays where it
        is.
      </p>
      {isOfFile && (
        <p className="mt-2">
          It is declared in the configuration file: take its entry out of the file, or the next start creates it again.
        </p>
      )}
    </Confirm>
  );
}
