/** What is wrong with a sink, in the destination's own words, and what to do. */
import { useOverview } from '../../../api/overview.ts';
import { useCall } from '../../../api/queries.ts';
import { useSinkPaths } from '../../../api/sink-paths.ts';
import { Button } from '../../../parts/button.tsx';
import { Code, CopyButton, Mono } from '../../../parts/code.tsx';
import { State, shapeOf } from '../../../parts/icons.tsx';
import { ErrorNote, Note } from '../../../parts/places.tsx';
import { Remedy } from '../../../parts/remedy.tsx';
import { Ago, Until } from '../../../parts/time.tsx';
import { say } from '../../../parts/toast.tsx';
import type { SinkEntry } from '../form/entry.ts';
import { indexCommand } from '../form/index-command.ts';
import { kindOf } from '../kinds.ts';
import { type AnySink, type Sink, wrongOf } from '../use-sink.ts';
import { useTable } from '../use-table.ts';
import { DisableButton } from './end.tsx';
import { receiveCommand } from './examples.ts';
import { Recovered } from './recovered.tsx';
import { WhereNext } from './where-next.tsx';

/** Reasons that a probe can end: its destination is asked again. */
const PROBED = ['unreachable', 'auth_failed', 'index_missing', 'overloaded', 'bad_destination'];

/** What the overview alone has found out: who keeps clients from receiving, and that they have as many messages as they may. */
const ELSEWHERE = ['blocked_by', 'ack_pending_full'];

export function Cause({ sink }: { sink: AnySink }) {
  const { data } = useOverview();
  const items = (data?.attention ?? []).filter(({ subject: { kind, name } }) => kind === 'sink' && name === sink.name);
  const sinceOf = (name: string): string | null => items.find(({ id }) => id === name)?.since ?? null;
  const wrong: Known[] = [
    ...items
      .filter(({ id }) => ELSEWHERE.includes(id))
      .map(({ id, summary, ...item }) => ({ ...item, name: id, error: summary })),
    ...wrongOf(sink),
  ];
  const isWrong = wrong.length > 0 || sink.state.error !== null;
  return (
    <>
      <Halted sink={sink} since={items.find(({ id }) => HALTED.includes(id))?.since ?? null} />
      <Recovered sink={sink} isWrong={isWrong} />
      {isWrong && <Wrong {...{ sink, wrong, sinceOf }} />}
    </>
  );
}

/** Findings that a status is, which somebody set. */
const HALTED = ['paused', 'paused_long', 'disabled'];

/** Why somebody paused or disabled it, in their own words. */
function Halted({ sink: { status, status_reason: reason }, since }: { sink: AnySink; since: string | null }) {
  if (status === 'active' || reason === null) return null;
  return (
    <div className="mb-6">
      <Note tone="idle">
        <span className="break-words whitespace-pre-wrap">
          {shapeOf(status).word}
          {since !== null && ' '}
          {since !== null && <Ago at={since} />}: {reason}
        </span>
      </Note>
    </div>
  );
}

interface Known {
  name: string;
  status: string;
  error: string | null;
  remedy: string | null;
  sql: string | null;
  run_on: string | null;
  answer?: string | null;
  command: string | null;
}

interface WrongProps {
  sink: AnySink;
  wrong: readonly Known[];
  sinceOf: (name: string) => string | null;
}

function Wrong({ sink, wrong, sinceOf }: WrongProps) {
  const { error, failing_since, next_probe_at } = sink.state;
  return (
    <section aria-label="What is wrong" className="mb-6 rounded-md border border-line">
      <ul className="divide-y divide-line">
        {wrong.map(({ name, status, error: summary, ...remedy }, place) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two of one name differ by their place
          <li key={`${name} ${place}`} className="flex flex-wrap gap-x-6 gap-y-1 px-3 py-2">
            <div className="w-40 shrink-0">
              <State state={name === 'behind' ? name : status === 'error' ? 'check_error' : status} />
              {name !== 'behind' && <p className="font-mono text-xs text-muted">{name}</p>}
              {sinceOf(name) !== null && (
                <p className="text-sm text-muted">
                  <Ago at={sinceOf(name)} />
                </p>
              )}
            </div>
            <div className="min-w-0 flex-1 basis-80">
              <Remedy finding={{ summary: summary ?? name, ...remedy }} />
              {name === 'index_missing' && 'destination' in sink && <MakeIndex sink={sink as Sink} />}
            </div>
            <div className="flex flex-wrap content-start items-start gap-2 max-md:basis-full md:ml-auto">
              {remedy.sql === null && remedy.command !== null && (
                <CopyButton text={remedy.command} label="Copy command" />
              )}
              <WhereNext sink={sink} name={name} />
            </div>
          </li>
        ))}
      </ul>
      {error !== null && (
        <div className="border-t border-line px-3 py-2 first:border-t-0">
          <p className="flex flex-wrap justify-between gap-x-4 text-sm text-muted">
            <span>
              Answer of the destination{failing_since !== null && ', first failed '}
              {failing_since !== null && <Ago at={failing_since} />}:
            </span>
            {next_probe_at !== null && (
              <span>
                Next probe <Until at={next_probe_at} />
              </span>
            )}
          </p>
          <pre className="max-h-48 overflow-auto font-mono text-sm break-words whitespace-pre-wrap">{error}</pre>
        </div>
      )}
      <Acts sink={sink} names={wrong.map(({ name }) => name)} />
    </section>
  );
}

/** A first mapping, of the first table's columns, unless a function makes other documents of them. */
function MakeIndex({ sink }: { sink: Sink }) {
  const [first] = (sink.source as SinkEntry['source'] | undefined)?.include_tables ?? [];
  const table = useTable(sink.database, sink.transform === 'none' ? first : undefined);
  return <Code text={indexCommand(sink.destination, table?.columns)} name="curl" />;
}

function Acts({ sink, names }: { sink: AnySink; names: readonly string[] }) {
  const { paths } = useSinkPaths();
  const probe = useCall('post', paths.probe);
  const dismiss = useCall('post', paths.dismiss);
  const codes = [...new Set(sink.state.notices.map(({ code }) => code))].filter((code) => names.includes(code));
  const isOpen = names.some((name) => PROBED.includes(name));
  const isUnread = names.includes('nobody_receives');
  const isReceived = 'kind' in sink && kindOf((sink as Sink).kind).isReceived;
  const canReceive = isUnread || (isReceived && names.includes('behind'));
  if (!isOpen && !canReceive && codes.length === 0) return null;
  const failed = probe.error ?? dismiss.error;
  return (
    <div className="flex flex-wrap items-center gap-2 border-t border-line px-3 py-2">
      {isOpen && (
        <Button
          needs="operate"
          busy={probe.isPending}
          onClick={() =>
            probe.mutate({ path: { sink: sink.name } }, { onSuccess: () => say('Probing the destination now') })
          }
        >
          Probe now
        </Button>
      )}
      {canReceive && <CopyButton text={receiveCommand(sink.name, location.origin)} label="Copy curl" />}
      {isUnread && <DisableButton sink={sink} />}
      {codes.map((code) => (
        <Button
          key={code}
          look="quiet"
          needs="operate"
          busy={dismiss.isPending}
          onClick={() =>
            dismiss.mutate({ path: { sink: sink.name, code } }, { onSuccess: () => say(`Dismissed ${code}`) })
          }
        >
          <span>
            Dismiss <Mono>{code}</Mono>
          </span>
        </Button>
      ))}
      {failed && <ErrorNote error={failed} />}
    </div>
  );
}
