/** The tab of a sink. */
import { useSink } from '../sinks/use-sink.ts';
import { Messages } from './messages.tsx';
import { placeOf } from './place.ts';

export function SinkMessages() {
  return <Messages place={placeOf('/sinks', useSink())} />;
}
