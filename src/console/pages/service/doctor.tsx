/** Every check that there is, made now: what is wrong first, with what fixes it. */
import { useSearch } from '@tanstack/react-router';
import { useGet } from '../../api/queries.ts';
import { plural } from '../../lib/format.ts';
import { Button } from '../../parts/button.tsx';
import { Code } from '../../parts/code.tsx';
import { State } from '../../parts/icons.tsx';
import { Page } from '../../parts/page.tsx';
import { Loaded, Note } from '../../parts/places.tsx';
import { Remedy } from '../../parts/remedy.tsx';

const ORDER = ['error', 'warning', 'notice', 'skipped', 'ok'];

export function Doctor() {
  const { database, sink } = useSearch({ from: '/inside/doctor' });
  const query = useGet('/api/doctor', { query: { database, sink } });
  return (
    <Page
      title="Doctor"
      actions={
        <Button look="primary" busy={query.isFetching} onClick={() => void query.refetch()}>
          Check again
        </Button>
      }
    >
      <Loaded query={query} lines={10}>
        {({ ok, checks }) => {
          const found = checks
            .filter(({ status }) => status !== 'ok')
            .toSorted((one, other) => ORDER.indexOf(one.status) - ORDER.indexOf(other.status));
          return (
            <>
              <div className="mb-4">
                <Note tone={found.length === 0 ? 'ok' : ok ? 'warn' : 'danger'}>
                  {found.length === 0
                    ? `No problems found in ${plural(checks.length, 'check')}.`
                    : `${plural(found.length, 'finding')} in ${plural(checks.length, 'check')}.`}
                </Note>
              </div>
              <ul className="divide-y divide-line rounded-md border border-line empty:hidden">
                {found.map((check) => (
                  <li
                    key={`${check.id} ${check.subject.kind} ${check.subject.name} ${check.summary}`}
                    className="flex flex-wrap gap-x-6 gap-y-1 px-3 py-2"
                  >
                    <div className="w-44 shrink-0">
                      <State state={check.status === 'error' ? 'check_error' : check.status} />
                      <p className="font-mono text-xs text-muted">{check.id}</p>
                    </div>
                    <div className="min-w-0 flex-1 basis-80">
                      <p className="font-medium break-words">{check.subject.name ?? check.subject.kind}</p>
                      <Remedy finding={check} />
                      {check.command !== null && <Code text={check.command} name="command" />}
                    </div>
                  </li>
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}
