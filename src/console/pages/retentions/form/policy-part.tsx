/** How long entries are kept, and who deletes those that are older. */
import { Choice } from '../../../parts/field.tsx';
import { TextKey } from '../../../parts/form/controls.tsx';
import { useField } from '../../../parts/form/form.tsx';
import { policyTitle } from '../use-retention.ts';
import type { Policy } from './entry.ts';

const OPTIONS = [
  { value: 'none', hint: 'The default' },
  { value: 'job', hint: 'A few thousand rows at a time' },
  { value: 'pg_cron', hint: 'A Postgres extension, for up to about 100 million entries a day' },
  {
    value: 'pg_partman',
    hint: 'A Postgres extension that drops whole partitions, for more than a million entries a day',
  },
].map((option) => ({ ...option, label: policyTitle(option.value) }));

export function PolicyPart() {
  const { value, set } = useField('retention');
  const policy = value as Policy | null;
  const by = policy?.by ?? 'none';
  const choose = (next: string): void => {
    const { keep = '30 days', every = null, interval = null } = policy ?? {};
    if (next === 'none') set(null);
    else
      set({
        by: next,
        keep,
        every: next === 'pg_partman' ? null : every,
        interval: next === 'pg_partman' ? interval : null,
      });
  };
  return (
    <div className="space-y-4">
      <Choice label="Old entries are deleted by" value={by} options={OPTIONS} onChange={choose} />
      {policy !== null && (
        <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
          <TextKey
            path="retention.keep"
            label="Kept for"
            hint="Such as 30 days, 12 hours or 2w, counted from the commit"
          />
          {by === 'pg_partman' ? (
            <TextKey path="retention.interval" label="Partition size" fallback="1 day" />
          ) : (
            <TextKey path="retention.every" label="Delete every" fallback="10 minutes" />
          )}
        </div>
      )}
    </div>
  );
}
