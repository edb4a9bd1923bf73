/** All jobs that somebody asked for, under way and ended. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useGet } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Field, Select } from '../../parts/field.tsx';
import { Page } from '../../parts/page.tsx';
import { Empty, Loaded } from '../../parts/places.tsx';
import { OperationTable } from './table.tsx';
import { KINDS, STATES } from './words.ts';

export function Operations() {
  const search = useSearch({ from: '/inside/operations' });
  const navigate = useNavigate({ from: '/operations' });
  const query = useGet('/api/operations', { query: { ...search, limit: 100 } }, { every: 2_000 });
  // The way back leads over what was chosen, not over each letter.
  const look = (change: typeof search, replace = false): void =>
    void navigate({ search: { ...search, cursor: undefined, ...change }, replace });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title="Operations">
      <search className="mb-4 grid grid-cols-2 gap-3 sm:flex sm:items-end">
        <Select
          label="Kind"
          value={search.kind ?? ''}
          onChange={({ target }) => look({ kind: KINDS.find((kind) => kind === target.value) })}
        >
          <option value="">All</option>
          {KINDS.map((kind) => (
            <option key={kind}>{kind}</option>
          ))}
        </Select>
        <Select
          label="State"
          value={search.state ?? ''}
          onChange={({ target }) => look({ state: STATES.find((state) => state === target.value) })}
        >
          <option value="">All</option>
          {STATES.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </Select>
        <Field
          label="Sink"
          type="search"
          value={search.sink ?? ''}
          onChange={({ target }) => look({ sink: target.value === '' ? undefined : target.value }, true)}
        />
      </search>
      <Loaded query={query}>
        {({ data, next_cursor }) =>
          data.length === 0 ? (
            <Empty title={isFiltered ? 'No matching operations' : 'No operations yet'}>
              Long-running work is an operation: backfills, replays, verifications, rebuilds, resyncs, and retrying or
              discarding many messages. It continues when this tab is closed.
            </Empty>
          ) : (
            <>
              <OperationTable rows={data} />
              {next_cursor !== null && (
                <div className="mt-3 flex justify-center">
                  <Button onClick={() => void navigate({ search: { ...search, cursor: next_cursor } })}>
                    Older ones
                  </Button>
                </div>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
