/** Entries of a change table, sent to a sink again: counted first, then sent as an operation. */
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Body, Schemas } from '../../api/client.ts';
import { useOverview } from '../../api/overview.ts';
import { useCall } from '../../api/queries.ts';
import { useZone } from '../../lib/clock.ts';
import { curlOf } from '../../lib/curl.ts';
import { count, plural, type Zone } from '../../lib/format.ts';
import { AsText } from '../../parts/as-text.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { Field, Select, TextArea } from '../../parts/field.tsx';
import { timeOf } from '../../parts/filter-bar.tsx';
import { useStoredDraft } from '../../parts/form/stored-draft.ts';
import { Fact, Facts, Section } from '../../parts/page.tsx';
import { ErrorNote, Note } from '../../parts/places.tsx';
import { fieldErrors } from '../../parts/remedy.tsx';
import { At } from '../../parts/time.tsx';
import { say } from '../../parts/toast.tsx';
import { useRetention } from './use-retention.ts';

const PATH = '/api/change_retentions/{sink}/replays';
type Wanted = Body<typeof PATH, 'post'>;
type Counted = Schemas['ReplayPreview'];

const EMPTY = { sink: '', since: '', until: '', from_seq: '', to_seq: '', keys: '' };
type Draft = typeof EMPTY;

function wantedOf({ sink, since, until, from_seq, to_seq, keys }: Draft, zone: Zone): Wanted {
  const given: Record<string, string | undefined> = {
    since: timeOf(since, zone),
    until: timeOf(until, zone),
    from_seq: from_seq.trim() || undefined,
    to_seq: to_seq.trim() || undefined,
  };
  const pks = keys.split('\n').filter((key) => key.trim() !== '');
  const conditions = Object.entries(given).filter(([, value]) => value !== undefined);
  return { sink, ...Object.fromEntries(conditions), ...(pks.length === 0 ? {} : { record_pks: pks }) };
}

const kept = (draft: Draft): Draft | null => (Object.values(draft).every((value) => value === '') ? null : draft);

export function Replay() {
  const { id, name } = useRetention();
  const zone = useZone();
  const { draft, setDraft, forget } = useStoredDraft<Draft>({
    key: `replay-${id}`,
    begin: (found) => ({ ...EMPTY, ...found }),
    kept,
  });
  const counting = useCall('post', PATH);
  const wanted = wantedOf(draft, zone);
  const change = (part: Partial<Draft>): void => {
    counting.reset();
    setDraft((known) => ({ ...known, ...part }));
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    counting.mutate({ path: { sink: name }, body: { ...wanted, dry_run: true } });
  };
  return (
    <div className="max-w-3xl">
      <p className="mb-4 text-muted">
        Sends entries to a sink again, in the order of their seq and alongside new changes: to fill a sink created
        later, or to repeat what a reader lost.
      </p>
      <form onSubmit={submit} className="mb-6 space-y-4">
        <Fields draft={draft} change={change} error={counting.error} />
        {counting.error && <ErrorNote error={counting.error} />}
        <div className="flex flex-wrap items-center gap-2">
          <Button
            look={counting.data ? 'plain' : 'primary'}
            type="submit"
            needs="operate"
            busy={counting.isPending}
            because={draft.sink === '' ? 'Choose a sink first' : null}
          >
            Count them
          </Button>
          <Button look="quiet" onClick={() => change(EMPTY)}>
            Start over
          </Button>
          <span className="ml-auto">
            <AsText
              title="As curl"
              name="curl"
              text={() => curlOf('POST', `/api/change_retentions/${encodeURIComponent(name)}/replays`, wanted)}
            >
              It needs a token with the scope operate.
            </AsText>
          </span>
        </div>
      </form>
      {counting.isSuccess && counting.variables.body && (
        <Found name={name} wanted={counting.variables.body} counted={counting.data as Counted} onBegun={forget} />
      )}
    </div>
  );
}

interface FieldsProps {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
  error: unknown;
}

function Fields({ draft, change, error }: FieldsProps) {
  const { data } = useOverview();
  const { source_database } = useRetention();
  const zone = useZone();
  const sinks = (data?.sinks ?? []).filter(({ database }) => database === source_database);
  const field = (key: keyof Draft, name: string = key) => ({
    value: draft[key],
    onChange: ({ target }: { target: { value: string } }) => change({ [key]: target.value }),
    errors: fieldErrors(error, name),
  });
  const time = { type: 'datetime-local', step: 1 };
  const where = zone === 'utc' ? 'UTC' : 'in your local time zone';
  return (
    <>
      <Select label="Sink" hint={`A sink of the database ${source_database}`} {...field('sink')}>
        <option value="">Choose one</option>
        {sinks.map(({ id, name }) => (
          <option key={id}>{name}</option>
        ))}
      </Select>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Committed since" hint={where} {...time} {...field('since')} />
        <Field label="Committed before" hint={where} {...time} {...field('until')} />
        <Field label="From seq" hint="Inclusive" inputMode="numeric" {...field('from_seq')} />
        <Field label="To seq" hint="Inclusive" inputMode="numeric" {...field('to_seq')} />
      </div>
      <TextArea
        label="Keys"
        hint="One per line; all rows if empty. Join the values of several columns with -."
        rows={3}
        {...field('keys', 'record_pks')}
      />
    </>
  );
}

interface FoundProps {
  name: string;
  /** As it was counted, whatever the form would say by now. */
  wanted: Wanted;
  counted: Counted;
  onBegun: () => void;
}

function Found({ name, wanted, counted, onBegun }: FoundProps) {
  const [asked, ask] = useState(false);
  const navigate = useNavigate();
  const begin = useCall('post', PATH);
  const { entries, inserts, updates, deletes, first_seq, last_seq, first_at, last_at, actions, is_filtered } = counted;
  if (entries === 0) return <Note tone="idle">No entry matches: nothing would be sent.</Note>;
  const start = (): void =>
    begin.mutate(
      { path: { sink: name }, body: { ...wanted, dry_run: false } },
      {
        async onSuccess(answer) {
          onBegun();
          say(`Sending entries to ${wanted.sink}`);
          await navigate({ to: '/operations/$id', params: { id: (answer as Schemas['Operation']).id } });
        },
      },
    );
  return (
    <Section title={plural(entries, 'entry', 'entries')}>
      <Facts>
        <Fact label="Actions">
          {count(inserts)} inserts, {count(updates)} updates, {count(deletes)} deletes
        </Fact>
        {first_at !== null && last_at !== null && (
          <Fact label="Committed">
            <At at={first_at} /> to <At at={last_at} />
          </Fact>
        )}
        <Fact label="Seq">
          {first_seq} to {last_seq}
        </Fact>
        <Fact label="Actions of the sink">
          {actions.join(', ')}
          {is_filtered && ', as far as its filters let them through'}
        </Fact>
      </Facts>
      <div className="mt-3">
        <Button look="primary" needs="operate" onClick={() => ask(true)}>
          {`Replay ${plural(entries, 'entry', 'entries')}…`}
        </Button>
      </div>
      <Confirm
        title={`Replay ${plural(entries, 'entry', 'entries')} to ${wanted.sink}?`}
        open={asked}
        onClose={() => ask(false)}
        action="Replay"
        look="primary"
        busy={begin.isPending}
        error={begin.error}
        onConfirm={start}
      >
        The sink gets these entries once more, as they were. Whoever receives from it sees old values again.
      </Confirm>
    </Section>
  );
}
