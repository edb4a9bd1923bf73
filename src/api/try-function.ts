/** A function tried on messages, stored or still being written. */
import { z } from 'zod';
import { findSink } from '../admin/find-sink.ts';
import { oldestInputs } from '../admin/function-inputs.ts';
import { showFunction } from '../admin/list-functions.ts';
import { recentInputs } from '../admin/preview.ts';
import { readRows } from '../admin/source-tables.ts';
import type { Tried } from '../admin/try-functions.ts';
import { readFunction } from '../catalog/declare/read-function.ts';
import type { FunctionSettings } from '../model/declared.ts';
import type { FunctionInput } from '../model/message.ts';
import { tableInPath } from '../model/table-in-path.ts';
import { MessageText } from './message-texts.ts';
import { RawJson } from './raw-json.ts';
import { type ApiDeps, type Route, writing } from './route.ts';

const MOST = 10;
const TYPES = ['transform', 'routing', 'filter', 'path'] as const;

const On = z
  .strictObject({
    messages: z
      .array(MessageText, 'must be a list of messages')
      .min(1, 'is empty')
      .max(MOST, `has more than ${MOST}`)
      .optional(),
    recent: z.string('must be the name of a sink').min(1, 'is empty').optional(),
    rows: z
      .strictObject({
        database: z.string('must be the name of a database').min(1, 'is empty'),
        table: z
          .string('must be schema.table, or table of schema public')
          .refine((text) => tableInPath(text) !== undefined, 'must be schema.table, or table of schema public'),
      })
      .optional(),
  })
  .superRefine((on, { addIssue }) => {
    if (Object.values(on).filter((one) => one !== undefined).length === 1) return;
    addIssue({ code: 'custom', path: [], message: 'must have one of `messages`, `recent` and `rows`' });
  });

const Body = z
  .strictObject({
    type: z.enum(TYPES, `must be one of ${TYPES.join(', ')}`).optional(),
    code: z.string('must be a text').optional(),
    path: z.string('must be a text').optional(),
    function: z.string('must be the name of a function').min(1, 'is empty').optional(),
    sink: z.string('must be the name of a sink').min(1, 'is empty').optional(),
    on: On,
  })
  .superRefine(({ type, code, path, function: name }, { addIssue }) => {
    const refuse = (field: string, message: string): void => addIssue({ code: 'custom', path: [field], message });
    if ([code, path, name].filter((one) => one !== undefined).length !== 1) {
      refuse('code', 'is missing: give one of `code`, `path` and `function`');
    } else if (type === undefined && name === undefined) refuse('type', 'is missing');
    else if (type !== undefined && name !== undefined) refuse('type', 'is that of `function`: leave it out');
  });

type Body = z.output<typeof Body>;

const Result = z
  .looseObject({
    ok: z.boolean(),
    result: z.unknown().optional(),
    error: z
      .looseObject({
        message: z.string(),
        line: z.number().nullable(),
        column: z.number().nullable(),
      })
      .optional(),
    took_ms: z.number(),
  })
  .meta({ id: 'FunctionResult' });

function shown(tried: Tried): z.input<typeof Result> {
  if (tried.ok) return { ok: true, result: new RawJson(tried.result ?? 'null'), took_ms: tried.tookMs };
  const { kind, message, line = null, column = null } = tried.error;
  return { ok: false, error: { kind, message, line, column }, took_ms: tried.tookMs };
}

async function functionOf({ db }: ApiDeps, { type, code, path, function: ref }: Body): Promise<FunctionSettings> {
  if (ref !== undefined) return (await showFunction(db, ref)).settings;
  return readFunction({ name: 'function', type, ...(code === undefined ? { path } : { code }) });
}

async function inputsOf({ db, outside }: ApiDeps, { messages, recent, rows }: Body['on']): Promise<FunctionInput[]> {
  if (messages !== undefined) return messages;
  if (rows !== undefined) {
    const table = tableInPath(rows.table)!;
    return await outside((on) => readRows(on, rows.database, { table, limit: MOST }));
  }
  const { no } = await findSink(db, recent!);
  const seen = await recentInputs(db, no, MOST);
  return seen.length > 0 ? seen : await oldestInputs(db, no, MOST);
}

/** For which sink? Of messages of a sink, that one. */
async function replaces({ db }: ApiDeps, { sink, on }: Body): Promise<boolean> {
  const ref = sink ?? on.recent;
  return ref !== undefined && (await findSink(db, ref)).replaces;
}

export const TRY_FUNCTION: Route = writing({
  method: 'POST',
  path: '/api/functions/run',
  scope: 'admin',
  summary: 'Tries a function, stored or not, on up to ten messages; nothing is stored or sent',
  input: z.strictObject({}),
  body: Body,
  texts: ['on', 'messages'],
  answer: z.looseObject({ results: z.array(Result) }),
  sql: null,
  async run(deps, { body }) {
    const fn = await functionOf(deps, body);
    const options = { replaces: await replaces(deps, body) };
    return { results: (await deps.functions.run(fn, await inputsOf(deps, body.on), options)).map(shown) };
  },
});
