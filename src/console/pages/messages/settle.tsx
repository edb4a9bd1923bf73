/** Tries messages again, or gives them up: some, or all that fit a filter. It says how many before, and how many it were after. */
import { useQuery } from '@tanstack/react-query';
import { type ApiError, type Body, call } from '../../api/client.ts';
import { useCall } from '../../api/queries.ts';
import { count, plural } from '../../lib/format.ts';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { ErrorNote, Skeleton } from '../../parts/places.tsx';
import { say } from '../../parts/toast.tsx';
import type { MessageFilter } from './filter.ts';
import { usePlace } from './place.ts';

export type Verb = 'retry' | 'discard';

/** Messages that have failed: what waits, or is leased, is delivered by itself. */
type FailedFilter = NonNullable<NonNullable<Body<'/api/sinks/{sink}/messages/discard', 'post'>>['filter']>;

/** Undefined: none of them have. */
export function failedOf({ state, ...filter }: MessageFilter): FailedFilter | undefined {
  if (state === 'waiting' || state === 'leased') return undefined;
  return state === undefined ? filter : { ...filter, state };
}

/** What is asked for. */
export interface Wish {
  verb: Verb;
  ids?: readonly number[];
  filter?: FailedFilter;
}

/** In one request; more are an operation. */
const MOST = 10_000;

interface Settled {
  count?: number;
  more?: boolean;
  /** An operation was begun instead. */
  id?: string;
}

export function Settle({ wish, onClose }: { wish: Wish; onClose: (done: boolean) => void }) {
  const { paths, name } = usePlace();
  const { verb, ids, filter } = wish;
  const counted = useQuery<Settled, ApiError>({
    queryKey: ['dry run', paths[verb], name, filter],
    queryFn: ({ signal }) =>
      call('post', paths[verb], { path: { sink: name }, body: { filter, dry_run: true }, signal }),
    enabled: ids === undefined,
    staleTime: 0,
    gcTime: 0,
  });
  const act = useCall('post', paths[verb]);
  const many = ids?.length ?? counted.data?.count;
  if (many === undefined) {
    return (
      <Dialog title={TITLES[verb]} open onClose={() => onClose(false)}>
        {counted.error ? <ErrorNote error={counted.error} again={counted.refetch} /> : <Skeleton lines={2} />}
      </Dialog>
    );
  }
  const isMore = counted.data?.more === true;
  const confirm = (): void =>
    act.mutate(
      {
        path: { sink: name },
        body: ids === undefined ? { filter, expected_count: many } : { ids: [...ids] },
      },
      {
        onSuccess: (done) => {
          tell(verb, done as Settled);
          onClose(true);
        },
        // The number has moved: it is asked again with the new one.
        onError: ({ code }) => void (code === 'count_moved' && counted.refetch()),
      },
    );
  return (
    <Confirm
      title={`${WORDS[verb]} ${isMore ? 'more than ' : ''}${plural(many, 'message')}?`}
      open
      onClose={() => onClose(false)}
      action={`${WORDS[verb]} ${count(many)}`}
      look={verb === 'discard' ? 'destroy' : 'primary'}
      typed={verb === 'discard' && many > 1 ? String(many) : undefined}
      busy={act.isPending}
      error={act.error}
      onConfirm={confirm}
    >
      {verb === 'retry' ? (
        <p>
          {many === 1 ? 'It returns to its place' : 'They return to their places'} in the queue of {name} and{' '}
          {many === 1 ? 'is' : 'are'} sent again.
        </p>
      ) : (
        <p>
          {many === 1
            ? `It is deleted, and ${name} never gets it. The row`
            : `They are deleted, and ${name} never gets them. The rows`}{' '}
          in the source {many === 1 ? 'stays as it is' : 'stay as they are'}; a later change to a row is sent as usual.
        </p>
      )}
      {many > MOST && (
        <p className="mt-2">This many run as an operation, which shows its progress and can be cancelled.</p>
      )}
    </Confirm>
  );
}

const WORDS = { retry: 'Retry', discard: 'Discard' };
const TITLES = { retry: 'Retry messages', discard: 'Discard messages' };

function tell(verb: Verb, { count: many = 0, id }: Settled): void {
  if (id !== undefined) say('In progress: see Operations');
  else if (verb === 'retry') say(`Retrying ${plural(many, 'message')}`);
  else say(`Discarded ${plural(many, 'message')}`);
}
