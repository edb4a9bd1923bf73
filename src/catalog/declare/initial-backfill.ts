/**
 * `initial_backfill:` of a sink: which rows that are there already it is sent when it is created. Each entry of a list is
 * checked by itself, so that all of its faults are said with their lines.
 */
import { z } from 'zod';
import type { SinkSettings, TableBackfill } from '../../model/declared.ts';
import { Identifier, isLong, Long, TableName, TOO_LONG, toBoolean } from '../../model/scalars.ts';
import { findingsOf, refusal, refuse, refuseAsFound, section, withRemedy } from '../../model/section.ts';

const FORM = withRemedy(
  'must be a text or a number',
  'Write the value as Postgres writes it, in quotes: "2026-01-31 00:00:00+00".',
);

const Position = z
  .union([z.string(), z.number(), Long], FORM)
  .refine((value) => value !== '', refusal('is an empty text', 'Write the value where the backfill begins.'))
  .refine((value) => !isLong(value), refusal(TOO_LONG.message, TOO_LONG.remedy))
  .transform(String);

const Entry = section(
  'sinks[].initial_backfill[]',
  {
    table: TableName,
    type: z.enum(['full', 'partial']).default('full'),
    sort_column: Identifier.optional(),
    start_position: Position.optional(),
  },
  {
    state: {
      message: 'is not a setting of a declaration',
      remedy: 'Remove it; `bin/millrace backfills pause` pauses one.',
    },
  },
)
  .superRefine((entry, context) => {
    for (const key of ['sort_column', 'start_position'] as const) {
      if (entry.type === 'partial' && entry[key] === undefined) {
        const remedy = `Add \`${key}:\`; a partial backfill sends the rows from that value of that column on.`;
        refuse(context, [key], { message: 'is missing with `type: partial`', remedy });
      }
      if (entry.type === 'full' && entry[key] !== undefined) {
        refuse(context, [key], { message: 'is for `type: partial`', remedy: 'Remove it, or write `type: partial`.' });
      }
    }
  })
  .transform(
    ({ table, sort_column, start_position }): TableBackfill => ({
      table,
      sort_column: sort_column ?? null,
      start_position: start_position ?? null,
    }),
  );

/** For whoever describes it. */
const FORMS = [
  { type: 'boolean' },
  { type: 'array', items: { type: 'object', required: ['table'], properties: { table: { type: 'string' } } } },
] as const;

/** False: none; true: all tables of the sink. */
export const InitialBackfill = z
  .unknown()
  .transform((given, context): boolean | TableBackfill[] => {
    const value = toBoolean(given ?? false);
    if (typeof value === 'boolean') return value;
    if (!Array.isArray(value) || value.length === 0) {
      const remedy = 'Write `true` for all tables of the sink, or `[{ table: public.orders }]`.';
      refuse(context, [], { message: 'must be true, false or a list of tables', remedy });
      return false;
    }
    return value.flatMap((item: unknown, index): TableBackfill[] => {
      const parsed = Entry.safeParse(item);
      if (parsed.success) return [parsed.data];
      for (const finding of findingsOf(parsed.error, item, [index])) refuseAsFound(context, finding);
      return [];
    });
  })
  .meta({ oneOf: FORMS });

interface Given {
  status: SinkSettings['status'];
  source: SinkSettings['source'];
  initial_backfill: boolean | TableBackfill[];
}

/** What the rest of the sink says about it. The member of its settings, if it has any. */
export function initialBackfillOf(
  given: Given,
  context: z.core.$RefinementCtx,
): Pick<SinkSettings, 'initial_backfill'> {
  const { status, source, initial_backfill: wanted } = given;
  if (wanted === false) return {};
  const at = 'initial_backfill';
  if (status === 'disabled') {
    const remedy = 'Set `status: active` or `paused`, or remove `initial_backfill`.';
    refuse(context, [at], { message: 'has no effect with `status: disabled`, which keeps no messages', remedy });
  }
  if (wanted === true) return { initial_backfill: true };
  const seen = new Set<string>();
  const included = source.include_tables === null ? undefined : new Set(source.include_tables);
  const excluded = new Set(source.exclude_tables);
  wanted.forEach(({ table }, index) => {
    if (seen.has(table))
      refuse(context, [at, index, 'table'], { message: 'is listed twice', remedy: 'Remove one of the two.' });
    seen.add(table);
    const isIn = included?.has(table) ?? true;
    if (isIn && !excluded.has(table)) return;
    const remedy = isIn
      ? 'Remove it from `source.exclude_tables`, or here.'
      : 'Add the table to `source.include_tables`, or remove it here.';
    refuse(context, [at, index, 'table'], { message: 'is not a table of this sink', remedy });
  });
  return { initial_backfill: wanted };
}
