/** Why messages are parked, at a glance: equal errors are one line, which narrows the list, and tries them again or gives them up. */
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { usePerson } from '../../api/person.ts';
import { useGet } from '../../api/queries.ts';
import { count } from '../../lib/format.ts';
import { Button, buttonLook } from '../../parts/button.tsx';
import { Ago } from '../../parts/time.tsx';
import { failedFunction } from './failed-function.ts';
import type { MessageFilter, MessagesSearch } from './filter.ts';
import { type Group, usePlace } from './place.ts';
import { Settle, type Wish } from './settle.tsx';

/** Under it they are asked for again. */
const EVERY_MS = 10_000;
/** What is shown before somebody asks for all. */
const FIRST = 5;

interface GroupsProps {
  filter: MessageFilter;
  isHidden: boolean;
  onGo: (more: Partial<MessagesSearch>) => unknown;
}

export function ErrorGroups({ filter, isHidden, onGo }: GroupsProps) {
  const { paths, name, parked } = usePlace();
  const [wish, setWish] = useState<Wish | null>(null);
  const [all, setAll] = useState(false);
  const { data } = useGet(paths.groups, { path: { sink: name } }, { every: EVERY_MS, enabled: parked > 0 });
  const groups = parked > 0 && data ? data.data : [];
  if (groups.length === 0) return null;
  const shown = all ? groups : groups.slice(0, FIRST);
  return (
    <section aria-label="Why messages are parked" className="mb-4">
      <div className="mb-1 flex flex-wrap items-center gap-3">
        <h2 className="text-base font-semibold">
          {count(parked)} parked,{' '}
          {groups.length === 1 ? 'one cause' : `${data?.is_estimate ? 'at least ' : ''}${groups.length} causes`}
        </h2>
        {data?.is_estimate && <span className="text-sm text-muted">of the newest {count(data.scanned)}</span>}
        <Button
          look="quiet"
          className="ml-auto"
          aria-expanded={!isHidden}
          onClick={() => onGo({ ungrouped: isHidden ? undefined : true })}
        >
          {isHidden ? 'Show causes' : 'Hide causes'}
        </Button>
      </div>
      {!isHidden && (
        <ul className="divide-y divide-line rounded-md border border-line">
          {shown.map((group) => (
            <GroupLine
              key={group.filter.group}
              group={group}
              isChosen={filter.group === group.filter.group}
              onLook={(on) =>
                onGo(on ? { state: 'parked', group: group.filter.group } : { state: undefined, group: undefined })
              }
              onWish={(verb) => setWish({ verb, filter: { state: 'parked', group: group.filter.group } })}
            />
          ))}
        </ul>
      )}
      {!isHidden && groups.length > FIRST && (
        <Button look="quiet" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show all ${groups.length}`}
        </Button>
      )}
      {wish && <Settle wish={wish} onClose={() => setWish(null)} />}
    </section>
  );
}

interface LineProps {
  group: Group;
  isChosen: boolean;
  onLook: (on: boolean) => void;
  onWish: (verb: Wish['verb']) => void;
}

function GroupLine({ group, isChosen, onLook, onWish }: LineProps) {
  const { may } = usePerson();
  const { stage, error, tables, first_at, last_at } = group;
  return (
    <li className={`flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-1.5 ${isChosen ? 'bg-idle-bg' : ''}`}>
      <span className="figure text-base font-semibold sm:w-14">{count(group.count)}</span>
      <span className="text-sm text-muted sm:w-14">{stage ?? '–'}</span>
      <div className="min-w-0 flex-1 basis-72 max-sm:basis-full">
        <p className="line-clamp-2 font-mono text-sm break-words" title={error ?? undefined}>
          {may('read:data') ? (error ?? 'no error recorded') : <span className="text-muted">needs read:data</span>}
        </p>
        <p className="text-sm text-muted">
          {tables.join(', ')}; first <Ago at={first_at} />, last <Ago at={last_at} />
        </p>
      </div>
      <span className="flex flex-wrap gap-2 max-sm:-ml-3">
        <Button look="quiet" aria-pressed={isChosen} onClick={() => onLook(!isChosen)}>
          {isChosen ? 'Show all' : 'View'}
        </Button>
        {stage === 'shape' && <EditFunction group={group} />}
        <Button needs="operate" onClick={() => onWish('retry')}>
          Retry {count(group.count)}
        </Button>
        <Button needs="operate" onClick={() => onWish('discard')}>
          Discard…
        </Button>
      </span>
    </li>
  );
}

/** The one that failed, with the newest message of the group as its sample. */
function EditFunction({ group: { error, sample_id } }: { group: Group }) {
  const { name, home } = usePlace();
  const failed = failedFunction(error);
  if (failed !== undefined)
    return (
      <Link
        to="/functions/$fn"
        params={{ fn: failed }}
        search={{ sink: name, message: String(sample_id) }}
        className={buttonLook()}
      >
        Edit function
      </Link>
    );
  // Change retentions have no page of their functions.
  return home === '/sinks' ? (
    <Link to="/sinks/$sink/function" params={{ sink: name }} className={buttonLook()}>
      Edit function
    </Link>
  ) : null;
}
