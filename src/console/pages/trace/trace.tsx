/** What happens to single messages, step by step, while one looks; and which deliveries failed lately, which is always kept. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { usePerson } from '../../api/person.ts';
import { Button } from '../../parts/button.tsx';
import { Checkbox } from '../../parts/field.tsx';
import { Section } from '../../parts/page.tsx';
import { Empty, ErrorNote, Note, Skeleton, useReason } from '../../parts/places.tsx';
import { useSink } from '../sinks/use-sink.ts';
import { Failures } from './failures.tsx';
import { LastDelivery } from './last-delivery.tsx';
import { TracedMessage } from './traced-message.tsx';
import { hasFailed, useTrace } from './use-trace.ts';

export function Trace() {
  const { name } = useSink();
  const search = useSearch({ from: '/inside/sinks/$sink/trace' });
  const { failures, stopped } = search;
  const navigate = useNavigate({ from: '/sinks/$sink/trace' });
  const go = (more: typeof search): void => void navigate({ search: { ...search, ...more }, resetScroll: false });
  const { may } = usePerson();
  const isOn = may('read:data') && stopped !== true;
  const query = useTrace(name, isOn);
  const error = useReason(query);
  const all = query.data?.messages ?? [];
  const shown = failures ? all.filter(hasFailed) : all;
  return (
    <>
      <LastDelivery />
      <Section
        title="In flight"
        actions={
          <>
            <Checkbox
              label="Failures only"
              checked={failures === true}
              onChange={(event) => go({ failures: event.target.checked || undefined })}
            />
            <Button
              needs="read:data"
              aria-pressed={stopped === true}
              onClick={() => go({ stopped: stopped ? undefined : true })}
            >
              {stopped ? 'Resume' : 'Pause'}
            </Button>
          </>
        }
      >
        {!may('read:data') && <Note tone="idle">Seeing messages in flight needs the scope read:data.</Note>}
        {isOn && error && <ErrorNote error={error} again={query.refetch} />}
        {isOn && query.isPending && !error && <Skeleton lines={4} />}
        {shown.length > 0 && (
          <ul aria-label="Messages in flight" className="divide-y divide-line rounded-md border border-line">
            {shown.map((message) => (
              <TracedMessage key={message.id} message={message} sink={name} />
            ))}
          </ul>
        )}
        {query.data && shown.length === 0 && (
          <Empty title={failures && all.length > 0 ? 'None of them failed' : 'No messages yet'}>
            While this page is open, one message a second is recorded with its steps. The newest 50 are shown. Change a
            row in one of its tables and it appears here.
          </Empty>
        )}
      </Section>
      <Failures sink={name} />
    </>
  );
}
