/** How a sink is, and why. */
import { Fact, Facts, Section } from '../../parts/page.tsx';
import { Ago } from '../../parts/time.tsx';
import { useSink } from './use-sink.ts';

export function SinkOverview() {
  const sink = useSink();
  return (
    <Section title="This sink">
      <Facts>
        <Fact label="Kind">{sink.kind}</Fact>
        <Fact label="Database">{sink.database}</Fact>
        <Fact label="Made">
          <Ago at={sink.inserted_at} />
        </Fact>
      </Facts>
    </Section>
  );
}
