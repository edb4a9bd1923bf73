/** The change table, looked at now: whether it takes entries, with the SQL where it does not. */
import { useCall } from '../../api/queries.ts';
import { Button } from '../../parts/button.tsx';
import { Checks, checksOf } from '../../parts/form/checks.tsx';
import { Section } from '../../parts/page.tsx';
import { ErrorNote } from '../../parts/places.tsx';

export function TableCheck({ name }: { name: string }) {
  const test = useCall('post', '/api/change_retentions/{sink}/test_connection');
  const checks = test.data?.checks ?? checksOf(test.error);
  return (
    <Section
      title="Change table"
      actions={
        <Button needs="operate" busy={test.isPending} onClick={() => test.mutate({ path: { sink: name } })}>
          Check now
        </Button>
      }
    >
      <div aria-live="polite">
        {test.error && checks.length === 0 && <ErrorNote error={test.error} />}
        {checks.length === 0 && !test.error && (
          <p className="text-muted">
            Checks that the table can be reached, has the right columns, and accepts an entry with the current time,
            even if it is partitioned.
          </p>
        )}
        <Checks checks={checks} />
      </div>
    </Section>
  );
}
