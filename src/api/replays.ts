/** Entries of a change table, sent to a sink again. */
import { z } from 'zod';
import { findSink } from '../admin/find-sink.ts';
import { showOperation } from '../admin/operations.ts';
import { type ReplayOptions, startReplay } from '../admin/replay.ts';
import type { Queryable } from '../db/pool.ts';
import { MillraceError } from '../model/errors.ts';
import { Begun } from './begun.ts';
import { OperationShape, shownOperation } from './operations.ts';
import { REF, type Route, writing } from './route.ts';

const SEQ = 'must be the seq of an entry';
const Seq = z
  .union([z.int().min(0), z.string().regex(/^\d{1,18}$/, SEQ)], SEQ)
  .nullish()
  .transform((value) => (value == null ? undefined : String(value)));
const Time = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);

const Wanted = z.strictObject({
  sink: REF,
  since: Time,
  until: Time,
  from_seq: Seq,
  to_seq: Seq,
  record_pks: z.array(z.string()).min(1, 'is empty').max(10_000, 'has more than 10000 keys').nullish(),
  dry_run: z.boolean('must be true or false').default(false),
});

const Preview = z
  .looseObject({
    entries: z.number(),
    inserts: z.number(),
    updates: z.number(),
    deletes: z.number(),
    first_seq: z.number().nullable(),
    last_seq: z.number().nullable(),
    first_at: z.string().nullable(),
    last_at: z.string().nullable(),
    actions: z.array(z.string()),
    is_filtered: z.boolean(),
  })
  .meta({ id: 'ReplayPreview' });

/** The sink that a body names. @throws MillraceError invalid */
async function namedSink(db: Queryable, ref: string): Promise<string> {
  try {
    return (await findSink(db, ref)).name;
  } catch (error) {
    if (!(error instanceof MillraceError) || error.code !== 'not_found') throw error;
    const fault = { field: 'sink', message: 'names no sink', ...(error.remedy ? { remedy: error.remedy } : {}) };
    throw new MillraceError('invalid', 'Not valid: sink', { faults: [fault] });
  }
}

const replayRoute = writing({
  method: 'POST',
  path: '/api/change_retentions/:sink/replays',
  scope: 'operate',
  begins: true,
  summary: 'Sends entries of the change table to a sink again, or only counts them',
  input: z.strictObject({ sink: REF }),
  body: Wanted,
  answer: z.union([OperationShape, Preview]),
  sql: 'millrace.replay',
  async run(deps, { sink: ref, body }, asking) {
    const { name: retention } = await findSink(deps.db, ref, 'change_retentions');
    const { since, until, from_seq: fromSeq, to_seq: toSeq } = body;
    const sink = await namedSink(deps.db, body.sink);
    const options: ReplayOptions = {
      retention,
      sink,
      since,
      until,
      fromSeq,
      toSeq,
      keys: body.record_pks ?? undefined,
    };
    if (body.dry_run) {
      const { isFiltered: is_filtered, actions, ...counts } = await deps.previewReplay(options);
      return { ...counts, actions: [...actions], is_filtered };
    }
    const id = await startReplay(deps.db, options);
    return new Begun(`/api/operations/${id}`, shownOperation(await showOperation(deps.db, id), asking));
  },
});

export const REPLAY_ROUTES: readonly Route[] = [replayRoute];
