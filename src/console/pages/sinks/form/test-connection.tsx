/** Asks a destination whether it answers, and shows what it said unchanged. */
import { ApiError, type Schemas } from '../../../api/client.ts';
import { useCall } from '../../../api/queries.ts';
import { Button } from '../../../parts/button.tsx';
import { Code } from '../../../parts/code.tsx';
import { State } from '../../../parts/icons.tsx';
import { ErrorNote } from '../../../parts/places.tsx';
import { Remedy } from '../../../parts/remedy.tsx';
import { bodyOf } from './entry.ts';
import { useForm } from './form.tsx';

type Check = Schemas['Check'];
type Draft = Parameters<ReturnType<typeof useCall<'post', '/api/sinks/test_connection'>>['mutate']>[0]['body'];

/** Of a refusal: what was found, the worst first. */
export const checksOf = (error: unknown): readonly Check[] =>
  error instanceof ApiError && Array.isArray(error.body.checks) ? (error.body.checks as Check[]) : [];

/** `stored`: its name; what was changed in the form is sent along. `curl`: what makes an index that is missing. */
export function TestConnection({
  stored,
  changed,
  curl,
}: {
  stored?: string;
  changed?: object;
  curl?: string | undefined;
}) {
  const { entry } = useForm();
  const draft = useCall('post', '/api/sinks/test_connection');
  const there = useCall('post', '/api/sinks/{sink}/test_connection');
  const test = stored === undefined ? draft : there;
  const start = (): void => {
    if (stored === undefined) draft.mutate({ body: { destination: bodyOf(entry).destination } as Draft });
    else there.mutate({ path: { sink: stored }, body: (changed ?? {}) as Draft });
  };
  const checks = test.data?.checks ?? checksOf(test.error);
  return (
    <div className="mt-4 space-y-2" aria-live="polite">
      <Button needs={stored === undefined ? 'admin' : 'operate'} busy={test.isPending} onClick={start}>
        {test.isPending ? 'Asking...' : 'Test connection'}
      </Button>
      {test.error && checks.length === 0 && <ErrorNote error={test.error} />}
      <Checks checks={checks} curl={curl} />
    </div>
  );
}

export function Checks({ checks, curl }: { checks: readonly Check[]; curl?: string | undefined }) {
  return (
    <ul className="space-y-2">
      {checks.map((check) => (
        <li key={check.key} className="flex flex-wrap gap-x-4 gap-y-1">
          <State state={check.status === 'error' ? 'check_error' : check.status} />
          <div className="min-w-0 flex-1 basis-72">
            <Remedy finding={check} />
            {check.id === 'index_missing' && curl !== undefined && <Code text={curl} name="curl" />}
          </div>
        </li>
      ))}
    </ul>
  );
}
