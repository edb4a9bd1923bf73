/** How a sink is, and why; what became of its messages; what it is, and how to see it at work. */
import { Section } from '../../../parts/page.tsx';
import { kindOf } from '../kinds.ts';
import { useSink } from '../use-sink.ts';
import { About } from './about.tsx';
import { Backfills } from './backfills.tsx';
import { Cause } from './cause.tsx';
import { Consumer } from './consumer.tsx';
import { End } from './end.tsx';
import { Figures } from './figures.tsx';
import { Pace } from './pace.tsx';
import { SeeIt } from './see-it.tsx';

export function SinkOverview() {
  const sink = useSink();
  return (
    <>
      <Cause key={sink.id} sink={sink} />
      <Pace sink={sink} noun={kindOf(sink.kind).isIndex ? 'document' : 'message'} />
      <Backfills sink={sink} />
      <Figures name={sink.name} />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-x-10 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <Section title="Details">
          <About sink={sink} />
        </Section>
        <Section title="Try it">
          <SeeIt sink={sink} />
        </Section>
      </div>
      {kindOf(sink.kind).isReceived && <Consumer sink={sink} />}
      <End sink={sink} />
    </>
  );
}
