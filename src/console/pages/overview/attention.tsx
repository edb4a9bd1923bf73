/** What is wrong, the worst first: its cause, since when, what it costs, and what does something about it. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Attention } from '../../api/overview.ts';
import { useAct } from '../../api/queries.ts';
import { count, sentence } from '../../lib/format.ts';
import { Button, buttonLook } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/code.tsx';
import { Confirm } from '../../parts/dialog.tsx';
import { State } from '../../parts/icons.tsx';
import { Section } from '../../parts/page.tsx';
import { ErrorNote, Note } from '../../parts/places.tsx';
import { Remedy } from '../../parts/remedy.tsx';
import { Ago } from '../../parts/time.tsx';
import { say } from '../../parts/toast.tsx';
import { offerOf, pageOf, stateOfItem } from './acts.ts';

/** Of the sinks and change retentions, by name. */
export interface Known {
  pending: ReadonlyMap<string, number>;
  parked: ReadonlyMap<string, number>;
  retentions: ReadonlySet<string>;
}

export function Attentions({
  items,
  all,
  at,
  known,
}: {
  items: readonly Attention[];
  all: number;
  at: string;
  known: Known;
}) {
  if (items.length === 0) {
    return (
      <div className="mb-6">
        <Note tone="ok">
          All is well. Checked <Ago at={at} />.
        </Note>
      </div>
    );
  }
  return (
    <Section title={`Needs attention: ${count(all)}`}>
      <ul className="divide-y divide-line rounded-md border border-line">
        {items.map((item) => (
          <Item key={item.key} item={item} known={known} />
        ))}
      </ul>
      {all > items.length && (
        <p className="mt-2">
          <Link to="/doctor" className="text-accent hover:underline">
            {count(all - items.length)} more are listed by the doctor
          </Link>
        </p>
      )}
    </Section>
  );
}

function Item({ item, known }: { item: Attention; known: Known }) {
  const { subject, since, id, act, sql } = item;
  const pending = subject.kind === 'sink' && id !== 'parked' ? (known.pending.get(subject.name ?? '') ?? 0) : 0;
  return (
    <li className="flex flex-wrap gap-x-6 gap-y-2 px-3 py-2.5">
      <div className="w-40 shrink-0">
        <State state={stateOfItem(item)} />
        {stateOfItem(item) !== id && <p className="font-mono text-xs break-words text-muted">{id}</p>}
      </div>
      <div className="min-w-0 flex-1 basis-80">
        <p className="font-semibold break-words">
          {subject.name ?? WHOLE[subject.kind]}
          <span className="ml-3 font-normal text-muted">
            {since !== null && <Ago at={since} />}
            {since !== null && pending > 0 && ', '}
            {pending > 0 && `${count(pending)} pending`}
          </span>
        </p>
        {/* Where a button does it, its SQL is only copied. */}
        <Remedy finding={act === null ? item : { ...item, sql: null, remedy: besides(item) }} />
      </div>
      <Acts item={item} known={known} sql={act === null ? null : sql} />
    </li>
  );
}

/** What goes on behind its statement stands by itself; a command that does the same has a button, too. */
function besides({ sql, remedy, command }: Attention): string | null {
  if (sql === null || remedy === null) return remedy;
  return command === null ? sentence(remedy) : null;
}

const WHOLE: Record<string, string> = { message_database: 'Message database', processes: 'Processes' };

function Acts({ item, known, sql }: { item: Attention; known: Known; sql: string | null }) {
  const page = pageOf(item, known.retentions);
  return (
    <div className="flex flex-wrap content-start items-start gap-2 max-md:basis-full md:ml-auto">
      <Act item={item} parked={known.parked.get(item.subject.name ?? '') ?? 0} />
      {sql !== null && <CopyButton text={sql} label="Copy SQL" />}
      {item.command !== null && <CopyButton text={item.command} label="Copy command" />}
      <Link {...page.link} className={buttonLook()}>
        {page.label}
        <span className="sr-only"> {item.subject.name ?? WHOLE[item.subject.kind]}</span>
      </Link>
    </div>
  );
}

function Act({ item, parked }: { item: Attention; parked: number }) {
  const [asked, setAsked] = useState(false);
  const act = useAct();
  const offer = offerOf(item, parked);
  if (offer === null || item.act === null) return null;
  const { path, body } = item.act;
  const go = (): void =>
    act.mutate(
      { path, body },
      {
        onSuccess: () => {
          say(offer.done);
          setAsked(false);
        },
      },
    );
  return (
    <>
      <Button needs="operate" busy={act.isPending} onClick={offer.question === undefined ? go : () => setAsked(true)}>
        {offer.label}
        {offer.question !== undefined && '…'}
        <span className="sr-only"> {item.subject.name}</span>
      </Button>
      {act.error && !asked && <ErrorNote error={act.error} />}
      {offer.question !== undefined && (
        <Confirm
          title={`${offer.label}: ${item.subject.name}?`}
          open={asked}
          onClose={() => setAsked(false)}
          action={offer.label}
          busy={act.isPending}
          error={act.error}
          onConfirm={go}
        >
          {offer.question}
        </Confirm>
      )}
    </>
  );
}
