/** How a change retention is, and why; what became of its entries; what it is, and how its old entries are deleted. */
import { Code } from '../../parts/code.tsx';
import { Section } from '../../parts/page.tsx';
import { Cause } from '../sinks/overview/cause.tsx';
import { End } from '../sinks/overview/end.tsx';
import { Figures } from '../sinks/overview/figures.tsx';
import { Pace } from '../sinks/overview/pace.tsx';
import { About } from './about.tsx';
import { Policy } from './policy.tsx';
import { TableCheck } from './table-check.tsx';
import { newestOf, useRetention } from './use-retention.ts';

export function RetentionOverview() {
  const retention = useRetention();
  return (
    <>
      <Cause key={retention.id} sink={retention} />
      <Pace sink={retention} noun="entry" />
      <Figures name={retention.name} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <Section title="Details">
          <About retention={retention} />
        </Section>
        <Policy name={retention.name} />
      </div>
      <Section title="Try it">
        <p>The newest entries, on the database {retention.destination_database}:</p>
        <Code text={newestOf(retention)} name="SQL" />
      </Section>
      <TableCheck name={retention.name} />
      <End sink={retention} />
    </>
  );
}
