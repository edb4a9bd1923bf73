/** What the functions of a sink make of one of its messages now, whatever they made of it before. */
import { z } from 'zod';
import type { NamedSink } from '../admin/find-sink.ts';
import { functionsOf, inputOf } from '../admin/function-inputs.ts';
import { RawJson } from './raw-json.ts';
import type { ApiDeps } from './route.ts';

export const ShapedMessage = z
  .looseObject({
    ok: z.boolean(),
    kept: z.boolean().optional(),
    result: z.unknown().optional(),
    index_name: z.string().optional(),
    old_index_name: z.string().optional(),
    error: z
      .looseObject({
        function: z.string(),
        message: z.string(),
        line: z.number().nullable(),
        column: z.number().nullable(),
      })
      .optional(),
  })
  .nullable()
  .meta({ id: 'ShapedMessage' });

/** Null: it was settled meanwhile. */
export async function shapedMessage(
  { db, functions }: ApiDeps,
  sink: NamedSink,
  id: number,
): Promise<z.input<typeof ShapedMessage>> {
  const input = await inputOf(db, sink.no, id);
  if (input === undefined) return null;
  const { replaces } = sink;
  const made = await functions.shape(await functionsOf(db, sink.settings), input, { replaces });
  if (made.error !== undefined) {
    const { line = null, column = null, ...error } = made.error;
    return { ok: false, error: { ...error, line, column } };
  }
  // A search index gets the row where no transform makes a document of it.
  const text = made.body ?? (replaces && input.action !== 'delete' ? input.record : 'null');
  return {
    ok: true,
    kept: made.kept,
    result: new RawJson(made.kept ? text : 'null'),
    ...(made.indexName === undefined ? {} : { index_name: made.indexName }),
    ...(made.oldIndexName === undefined ? {} : { old_index_name: made.oldIndexName }),
  };
}
