/** What a worker does when somebody asks for it: an index compared, a second one filled, a gap closed. */
import { z } from 'zod';
import { findSink } from '../admin/find-sink.ts';
import { showDatabase } from '../admin/list-databases.ts';
import { startRebuild, startResync, startVerify } from '../admin/operation/start.ts';
import { showOperation } from '../admin/operations.ts';
import { checkRebuild } from '../admin/rebuild.ts';
import type { Transacting } from '../db/pool.ts';
import { MillraceError } from '../model/errors.ts';
import { int, Name } from '../model/scalars.ts';
import { Begun } from './begun.ts';
import { OperationShape, shownOperation } from './operations.ts';
import { type Asking, REF, type Route, writing } from './route.ts';

async function begun(db: Transacting, id: string, asking: Asking): Promise<Begun<z.input<typeof OperationShape>>> {
  return new Begun(`/api/operations/${id}`, shownOperation(await showOperation(db, id), asking));
}

function told(error: unknown): unknown {
  if (!(error instanceof MillraceError)) return error;
  const code = error.code === 'bad_request' ? 'invalid' : error.code === 'bad_destination' ? 'test_failed' : undefined;
  if (code === undefined) return error;
  const remedy = error.remedy === undefined ? {} : { remedy: error.remedy };
  return new MillraceError(code, error.message, { ...remedy, cause: error });
}

const yesNo = z.boolean('must be true or false');
const text = z.string('must be a text').min(1, 'is empty').nullish();

const verifyRoute = writing({
  method: 'POST',
  path: '/api/sinks/:sink/verifications',
  scope: 'operate',
  begins: true,
  summary: 'Compares a search index with its tables, and repairs it on request',
  input: z.strictObject({ sink: REF }),
  body: z.strictObject({ repair: yesNo.default(false), refresh_ms: int(0, 600_000).nullish() }),
  answer: OperationShape,
  sql: 'millrace.verify',
  async run({ db }, { sink, body }, asking) {
    const { name } = await findSink(db, sink, 'sinks');
    const wanted = { sink: name, repair: body.repair, refreshMs: body.refresh_ms ?? undefined };
    return await begun(db, await startVerify(db, wanted), asking);
  },
});

const rebuildRoute = writing({
  method: 'POST',
  path: '/api/sinks/:sink/rebuilds',
  scope: 'admin',
  begins: true,
  summary: 'Fills a second index beside the one of a sink, and says how to switch over',
  input: z.strictObject({ sink: REF }),
  body: z.strictObject({
    index: z.string('must name the new index').min(1, 'must name the new index'),
    transform: z.string('must be a text').nullish(),
    name: Name.nullish(),
    alias: text,
  }),
  answer: OperationShape,
  sql: 'millrace.rebuild',
  async run({ db, outside }, { sink, body }, asking) {
    const { name } = await findSink(db, sink, 'sinks');
    const { index, transform, name: newName, alias } = body;
    const wanted = {
      ...{ sink: name, index, transform: transform ?? undefined },
      ...{ name: newName ?? undefined, alias: alias ?? undefined },
    };
    await outside((on, signal) => checkRebuild(on, wanted, signal)).catch((error: unknown) => {
      throw told(error);
    });
    return await begun(db, await startRebuild(db, wanted), asking);
  },
});

const resyncRoute = writing({
  method: 'POST',
  path: '/api/postgres_databases/:database/resyncs',
  scope: 'operate',
  begins: true,
  summary: 'Captures a database again after a gap, sends all rows, and removes documents of deleted rows',
  input: z.strictObject({ database: REF }),
  body: z.strictObject({ force: yesNo.default(false), verify: yesNo.default(true) }),
  answer: OperationShape,
  sql: 'millrace.resync',
  async run({ db }, { database, body }, asking) {
    const { name } = await showDatabase(db, database);
    return await begun(db, await startResync(db, { database: name, ...body }), asking);
  },
});

export const JOB_ROUTES: readonly Route[] = [verifyRoute, rebuildRoute, resyncRoute];
