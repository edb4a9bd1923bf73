/** Asks a destination whether it answers, and shows what it said unchanged. */
import { useCall } from '../../api/queries.ts';
import { useSinkPaths } from '../../api/sink-paths.ts';
import { Button } from '../button.tsx';
import { ErrorNote } from '../places.tsx';
import { type Check, Checks, checksOf } from './checks.tsx';

type Draft = Parameters<ReturnType<typeof useCall<'post', '/api/sinks/test_connection'>>['mutate']>[0]['body'];

interface TestConnectionProps {
  /** Of one that is there: its name. */
  stored?: string;
  /** Its entry as far as it matters; of one that is there what was changed. */
  body: object;
  label?: string;
  /** What makes an index that is missing. */
  curl?: string | undefined;
  /** SQL that stands above it: a check that wants the same does not repeat it. */
  above?: string | undefined;
}

export function TestConnection({ stored, body, label = 'Test connection', curl, above }: TestConnectionProps) {
  const { paths } = useSinkPaths();
  const draft = useCall('post', paths.test);
  const there = useCall('post', paths.testOne);
  const test = stored === undefined ? draft : there;
  const start = (): void => {
    if (stored === undefined) draft.mutate({ body: body as Draft });
    else there.mutate({ path: { sink: stored }, body: body as Draft });
  };
  const checks = test.data?.checks ?? checksOf(test.error);
  return (
    <div className="mt-4 space-y-2" aria-live="polite">
      <Button needs={stored === undefined ? 'admin' : 'operate'} busy={test.isPending} onClick={start}>
        {test.isPending ? 'Testing…' : label}
      </Button>
      {test.error && checks.length === 0 && <ErrorNote error={test.error} />}
      <Checks checks={checks.map((check) => withoutSql(check, above))} curl={curl} />
    </div>
  );
}

const withoutSql = (check: Check, above: string | undefined): Check =>
  check.sql !== null && above?.includes(check.sql) ? { ...check, sql: null, remedy: 'Run the SQL above.' } : check;
