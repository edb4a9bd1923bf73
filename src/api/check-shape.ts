/** What a check says, as answers have it. */
import { z } from 'zod';
import type { Check } from '../admin/doctor/check.ts';
import type { Permitted } from './route.ts';

export const CheckShape = z
  .looseObject({
    id: z.string(),
    key: z.string(),
    item: z.string().nullable(),
    subject: z.looseObject({ kind: z.string(), name: z.string().nullable() }),
    status: z.enum(['error', 'warning', 'notice', 'skipped', 'ok']),
    summary: z.string(),
    remedy: z.string().nullable(),
    sql: z.string().nullable(),
    run_on: z.string().nullable(),
    command: z.string().nullable(),
    answer: z.string().nullable(),
    docs: z.string(),
    link: z.string().nullable(),
  })
  .meta({ id: 'Check' });

/** What a destination answered may quote a row. */
export const shownCheck = (check: Check, asking: Permitted): z.input<typeof CheckShape> => ({
  ...check,
  subject: { ...check.subject },
  answer: asking.may('read:data') ? check.answer : null,
});
