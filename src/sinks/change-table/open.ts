/** Opens the change table of one retention with its connections: to its database, and beside it where an extension lives. */
import type { Database } from '../../db/pool.ts';
import { MillraceError } from '../../model/errors.ts';
import type { Sink } from '../../model/sink.ts';
import { DestinationDown, type SinkEntry, type SinkGiven } from '../contract.ts';
import type { ChangeTableDestination } from './section.ts';
import { openChangeTable } from './sink.ts';
import { circuitText, judge } from './verdict.ts';

const SHORT_MS = 2_000;

/** @throws DestinationDown when the destination's server cannot even be asked; MillraceError. */
export async function open(
  { id, sourceId, settings: { destination } }: SinkEntry<ChangeTableDestination>,
  { log, messages, openDatabase }: SinkGiven,
): Promise<Sink> {
  const { database: name } = destination;
  // Where that server has no connection to spare, this one is kept. Who waits for it may hold one of the message database.
  const wanted = { name, use: 'change table', pool: { least: 1, fullMs: SHORT_MS } };
  const { db, refuseSharedSessions } = await openDatabase(wanted).catch((error: unknown) => {
    const verdict = judge(error);
    throw verdict?.kind === 'circuit' ? new DestinationDown(verdict.circuit, error) : error;
  });
  const beside = async (database: string): Promise<Database> =>
    (await openDatabase({ name, use: 'retention', database })).db;
  const sink = await openChangeTable(
    { log, destination: db, messages, beside },
    { retentionId: id, sourceDatabaseId: sourceId, destination },
  );
  return closingWith(askingFirst(sink, refuseSharedSessions), () => db.close());
}

/** The sink itself: what `ask` throws about its settings is said whenever it is tested; the rest its own test says better. */
function askingFirst(sink: Sink, ask: () => Promise<void>): Sink {
  const test = sink.test.bind(sink);
  sink.test = async (signal) => {
    const fault = await ask().catch((error: unknown) => error);
    if (!(fault instanceof MillraceError)) return await test(signal);
    const error = circuitText([{ message: fault.message, remedy: fault.remedy ?? '' }]);
    return { reason: 'bad_destination', error };
  };
  return sink;
}

/** The sink itself, so that what it learns later is seen, with more to close. */
function closingWith(sink: Sink, more: () => Promise<void>): Sink {
  const close = sink.close.bind(sink);
  sink.close = async () => {
    await close();
    await more();
  };
  return sink;
}
