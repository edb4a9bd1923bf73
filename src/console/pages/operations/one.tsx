/** One operation: how far it is, what it found, and how it ended. */
import { Link, useParams } from '@tanstack/react-router';
import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/queries.ts';
import { count } from '../../lib/format.ts';
import { State } from '../../parts/icons.tsx';
import { Fact, Facts, Page, Section } from '../../parts/page.tsx';
import { Loaded, Note } from '../../parts/places.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Remedy } from '../../parts/remedy.tsx';
import { Spoken } from '../../parts/spoken.tsx';
import { Ago, At } from '../../parts/time.tsx';
import { Differences } from './differences.tsx';
import { OperationVerbs } from './verbs.tsx';
import { doneOfAll, isUnderWay, paceOf, partOf, titleOf, tookOf } from './words.ts';

const ABOVE = [{ to: '/operations', label: 'Operations' }];

type Operation = Schemas['Operation'];

export function OneOperation() {
  const { id } = useParams({ from: '/inside/operations/$id' });
  const query = useGet('/api/operations/{id}', { path: { id } }, { every: 2_000 });
  // Not of the operation before it, while this one is asked for.
  const data = query.data?.id === id ? query.data : undefined;
  return (
    <Page
      title={data ? titleOf(data).replace(/^./, (first) => first.toUpperCase()) : 'Operation'}
      above={ABOVE}
      beside={data && <State state={data.state} code={data.state === 'running' ? data.phase : null} />}
      actions={data && <OperationVerbs operation={data} />}
    >
      <Loaded query={{ ...query, data }}>{(operation) => <Told operation={operation} />}</Loaded>
    </Page>
  );
}

function Told({ operation }: { operation: Operation }) {
  const { kind, state, reason, remedy, result, steps, lines } = operation;
  return (
    <div className="space-y-6">
      <Spoken text={spokenOf(operation)} />
      {isUnderWay(operation) && (
        <div className="flex flex-wrap items-center gap-x-4">
          <Progress part={partOf(operation)} label="Progress" />
          <span className="text-muted tabular-nums">{paceOf(operation)}</span>
        </div>
      )}
      {reason !== null && (
        <Note tone={state === 'failed' ? 'danger' : 'idle'}>
          <Remedy finding={{ summary: reason, remedy }} />
        </Note>
      )}
      <OperationFacts operation={operation} />
      {result !== null && <Result result={result} />}
      {lines.length > 0 && (
        <Section title="Output">
          <pre className="overflow-x-auto rounded-md border border-line bg-surface p-3 font-mono text-sm whitespace-pre-wrap">
            {lines.join('\n')}
          </pre>
        </Section>
      )}
      {kind === 'verify' && !isUnderWay(operation) && <Differences id={operation.id} isWhole={state === 'done'} />}
      {steps.length > 0 && (
        <Section title="Steps">
          <ol className="space-y-1">
            {steps.map((step) => (
              <li key={`${step.at} ${step.text}`} className="flex flex-wrap gap-x-4">
                <span className="text-muted">
                  <At at={step.at} millis={false} />
                </span>
                {step.text}
              </li>
            ))}
          </ol>
        </Section>
      )}
    </div>
  );
}

/** How far it is, or how it ended. */
function spokenOf(operation: Operation): string {
  const part = partOf(operation);
  if (!isUnderWay(operation)) return `Its end: ${operation.state}`;
  return part === null ? `Under way: ${operation.state}` : `${Math.floor(part * 100)} percent, ${operation.state}`;
}

function OperationFacts({ operation }: { operation: Operation }) {
  const { kind, sink, database, progress, requested_by, inserted_at, started_at, ended_at } = operation;
  const took = tookOf(operation);
  return (
    <Facts>
      {sink !== null && (
        <Fact label="Sink">
          <Link to="/sinks/$sink" params={{ sink: sink }} className="text-accent hover:underline">
            {sink}
          </Link>
        </Fact>
      )}
      <Fact label="Database">{database}</Fact>
      {progress.table !== null && <Fact label="Table">{progress.table}</Fact>}
      <Fact label="Done">
        {doneOfAll(operation)}
        {/* A verification sends nothing. */}
        {kind !== 'verify' && progress.sent !== progress.done && `, ${count(progress.sent)} sent`}
      </Fact>
      <Fact label="Requested">
        <Ago at={inserted_at} />
        {requested_by !== null && `, by ${requested_by}`}
      </Fact>
      {started_at !== null && (
        <Fact label="Started">
          <Ago at={started_at} />
        </Fact>
      )}
      {ended_at !== null && (
        <Fact label="Ended">
          <Ago at={ended_at} />
        </Fact>
      )}
      {took !== null && <Fact label="Took">{took}</Fact>}
    </Facts>
  );
}

/** Figures and short texts of a result; what is longer is told by its lines. */
function Result({ result }: { result: Record<string, unknown> }) {
  const known = Object.entries(result).filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value));
  if (known.length === 0) return null;
  return (
    <Section title="Result">
      <Facts>
        {known.map(([name, value]) => (
          <Fact key={name} label={name.replaceAll('_', ' ')}>
            {typeof value === 'number' ? count(value) : String(value)}
          </Fact>
        ))}
      </Facts>
    </Section>
  );
}
