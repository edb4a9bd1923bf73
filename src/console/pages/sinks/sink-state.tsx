/** How a sink is, in one word. */
import { State } from '../../parts/icons.tsx';
import { type Judged, stateOf } from './use-sink.ts';

export function SinkState({ sink }: { sink: Judged }) {
  const state = stateOf(sink);
  const [code = null] = sink.reasons;
  // What the word says already.
  return <State state={state} code={code === sink.status || code === state ? null : code} />;
}
