/** What a page shows before, instead of and beside its content: loading, nothing, an error, an old answer. */
import { AlertIcon, CheckCircleIcon, InfoIcon } from '@primer/octicons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import type { ApiError } from '../api/client.ts';
import { useOwnNow } from '../lib/clock.ts';
import { beginsWithWord, plural, span } from '../lib/format.ts';
import { Button } from './button.tsx';
import { CopyButton, Mono, Prose } from './code.tsx';
import { withoutKeys } from './faults.tsx';
import { BACKGROUNDS, OldContext, type Tone } from './icons.tsx';

export function Skeleton({ lines = 4 }: { lines?: number }) {
  return (
    <div role="status" aria-label="Loading" className="space-y-2 py-2">
      {Array.from({ length: lines }, (_, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
        <div key={place} className="h-5 animate-pulse rounded-md bg-idle-bg" />
      ))}
    </div>
  );
}

/** Teaches what will be here, and what to do for it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="rounded-md border border-dashed border-edge px-6 py-8 text-center">
      <p className="text-lg font-medium">{title}</p>
      <div className="mx-auto mt-1 max-w-2xl text-muted">{children}</div>
    </div>
  );
}

const NOTE_ICONS: Record<Tone, typeof InfoIcon> = {
  ok: CheckCircleIcon,
  warn: AlertIcon,
  danger: AlertIcon,
  idle: InfoIcon,
};

/** As tall as the first line of what it stands beside. */
function NoteIcon({ tone }: { tone: Tone }) {
  const Icon = NOTE_ICONS[tone];
  return (
    <span className="inline-flex h-[1.375rem] shrink-0 items-center">
      <Icon size={16} aria-hidden />
    </span>
  );
}

interface NoteProps {
  tone: Tone;
  children: ReactNode;
  live?: boolean;
  /** Across the whole page, under its header. */
  isBar?: boolean;
}

export function Note({ tone, children, live = false, isBar = false }: NoteProps) {
  const shape = isBar ? 'px-4 sm:px-6' : 'rounded-md px-3';
  return (
    <div role={live ? 'status' : undefined} className={`flex gap-2 py-2 ${shape} ${BACKGROUNDS[tone]}`}>
      <NoteIcon tone={tone} />
      <div className="min-w-0 flex-1 text-text">{children}</div>
    </div>
  );
}

/** A summary that only repeats the names of the fields. */
const NAMES = /^Not valid: /;

/** In a form that was refused, to the first field that is at fault. */
function goToFault(note: Element | null): void {
  const field = note?.closest('form')?.querySelector<HTMLElement>('[aria-invalid=true]');
  if (field == null) return;
  field.closest('details')?.setAttribute('open', '');
  field.focus();
}

/** What the API refused: its sentence, what to do, and by what the log finds it. */
export function ErrorNote({ error, again }: { error: ApiError; again?: () => unknown }) {
  const note = useRef<HTMLDivElement>(null);
  const fields = Object.entries(error.fields);
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each refusal
  useEffect(() => goToFault(note.current), [error]);
  return (
    <div ref={note} role="alert" className={`flex gap-2 rounded-md px-3 py-2 ${BACKGROUNDS.danger}`}>
      <NoteIcon tone="danger" />
      <div className="min-w-0 flex-1">
        <p className={`font-medium ${beginsWithWord(error.message) ? 'first-letter:uppercase' : ''}`}>
          {fields.length > 0 && NAMES.test(error.message) ? (
            `${plural(fields.length, 'field is', 'fields are')} not valid`
          ) : (
            <Prose text={error.message} />
          )}
        </p>
        {error.remedy !== null && (
          <p className="text-text">
            <Prose text={error.remedy} />
          </p>
        )}
        {fields.map(([field, faults]) => (
          <p key={field} className="text-text">
            <Mono>{field}</Mono> <Prose text={faults.map(withoutKeys).join('; ')} />
          </p>
        ))}
        <div className="mt-1 flex flex-wrap items-center gap-2">
          {again && <Button onClick={() => void again()}>Try again</Button>}
          {error.requestId !== null && (
            <>
              <span className="text-xs text-muted">request {error.requestId}</span>
              <CopyButton text={error.requestId} label="Copy id" look="quiet" />
            </>
          )}
        </div>
      </div>
    </div>
  );
}

interface Asked<Value> {
  data: Value | undefined;
  error: ApiError | null;
  /** How often it has failed. */
  errorUpdateCount: number;
  dataUpdatedAt: number;
  refetch(): unknown;
}

/** Why there is no answer: also while it is asked for again, when nobody knows better yet. */
export function useReason({
  data,
  error,
  errorUpdateCount,
}: Pick<Asked<unknown>, 'data' | 'error' | 'errorUpdateCount'>) {
  const last = useRef<ApiError>(null);
  if (error !== null) last.current = error;
  return error ?? (data === undefined && errorUpdateCount > 0 ? last.current : null);
}

const OLD_MS = 15_000;

/** How old an answer is, in milliseconds, and whether how things are can no longer be told from it. */
function useAge({ error, dataUpdatedAt }: Pick<Asked<unknown>, 'error' | 'dataUpdatedAt'>) {
  const age = useOwnNow() - dataUpdatedAt;
  return { age, isOld: error !== null && age > OLD_MS };
}

/** For what stands beside the title, of an answer whose content is `Loaded`: no state in it outlives its answer. */
export function Known({ query, children }: { query: Parameters<typeof useAge>[0]; children: ReactNode }) {
  return <OldContext value={useAge(query).isOld}>{children}</OldContext>;
}

/** Of what was asked: a skeleton first, then the answer; an old one is dimmed and tells its age, and why it is old. */
export function Loaded<Value>({
  query,
  lines,
  children,
}: {
  query: Asked<Value>;
  lines?: number;
  children: (value: Value) => ReactNode;
}) {
  const { data, refetch } = query;
  const error = useReason(query);
  const { age, isOld } = useAge(query);
  if (data === undefined) return error ? <ErrorNote error={error} again={refetch} /> : <Skeleton lines={lines} />;
  return (
    <>
      {error !== null && (error.status !== 0 || isOld) && (
        <div className="mb-3">
          <Note tone="warn">
            {/* Its age is another one each second. */}
            <span role="status">{error.message}</span>. The data below is {span(Math.max(1, Math.round(age / 1_000)))}{' '}
            old.
          </Note>
        </div>
      )}
      <OldContext value={isOld}>
        {/* Paler, it could not be read by everybody. */}
        <div className={isOld ? 'grayscale' : undefined}>{children(data)}</div>
      </OldContext>
    </>
  );
}
