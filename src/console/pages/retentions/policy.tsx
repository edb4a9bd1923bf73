/** How old entries are deleted, when that was done, and what is wrong with it. */
import type { Schemas } from '../../api/client.ts';
import { useGet } from '../../api/queries.ts';
import { count, plural } from '../../lib/format.ts';
import { Code } from '../../parts/code.tsx';
import { More } from '../../parts/form/controls.tsx';
import { State } from '../../parts/icons.tsx';
import { Fact, Facts, Section } from '../../parts/page.tsx';
import { Loaded } from '../../parts/places.tsx';
import { Remedy } from '../../parts/remedy.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { policyTitle } from './use-retention.ts';

type Known = Schemas['RetentionPolicy'];

export function Policy({ name }: { name: string }) {
  const query = useGet('/api/change_retentions/{sink}/policy', { path: { sink: name } }, { every: 10_000 });
  return (
    <Section title="Old entries">
      <Loaded query={query}>{(policy) => <Shown policy={policy} />}</Loaded>
    </Section>
  );
}

function Shown({ policy }: { policy: Known }) {
  const { by, keep, state, last_run, deleted, next_run, partitions_ahead, reason, remedy, sql } = policy;
  return (
    <>
      <Facts>
        <Fact label="Deleted by">{policyTitle(by)}</Fact>
        {by !== 'none' && (
          <Fact label="State">
            <State state={state} />
          </Fact>
        )}
        {keep !== null && <Fact label="Kept for">{keep}</Fact>}
        {by === 'job' && (
          <>
            <Fact label="Last run">
              <Ago at={last_run} />
              {deleted !== null && `: ${plural(deleted, 'entry', 'entries')} deleted`}
            </Fact>
            {next_run !== null && (
              <Fact label="Next run">
                <Until at={next_run} />
              </Fact>
            )}
          </>
        )}
        {by === 'pg_partman' && (
          <Fact label="Future partitions">{partitions_ahead === null ? 'not known' : count(partitions_ahead)}</Fact>
        )}
      </Facts>
      {reason !== null && (
        <div className="mt-2">
          <Remedy finding={{ summary: reason, remedy }} />
        </div>
      )}
      {sql !== null && (
        <More label="SQL that creates the table">
          <div className="min-w-0 sm:col-span-2">
            <Code text={sql} name="SQL" />
          </div>
        </More>
      )}
    </>
  );
}
