/**
 * A sink that cannot even be opened (a credential that does not open, an endpoint that is none): it delivers nothing, and
 * says why where people look. Nobody keeps it: the next run of its lane tries to open the real one.
 */
import { MillraceError } from '../model/errors.ts';
import type { Circuit, Sink } from '../model/sink.ts';
import { DestinationDown } from '../sinks/contract.ts';

/** Undefined for what is no fault of the sink's destination: that is tried again, and said elsewhere. */
export function refusedSink(error: unknown): Sink | undefined {
  if (error instanceof DestinationDown) return sinkWith(error.circuit);
  if (!(error instanceof MillraceError) || error.code === 'unavailable') return undefined;
  const text = error.remedy === undefined ? error.message : `${error.message}. ${error.remedy}`;
  return sinkWith({ reason: 'bad_destination', error: text });
}

function sinkWith(circuit: Circuit): Sink {
  return {
    batchSize: 1,
    batchBytes: 1,
    send: () => Promise.resolve({ outcomes: [], circuit }),
    test: () => Promise.resolve(circuit),
    close: () => Promise.resolve(),
  };
}
