/** Who changed what. */
import { z } from 'zod';
import { type AuditEntry, listAudit } from '../admin/audit.ts';
import { cursors, LONG_PAGE } from './page.ts';
import { RawJson } from './raw-json.ts';
import { type Route, route } from './route.ts';
import { TIME } from './time.ts';

const Entry = z
  .looseObject({
    id: z.number(),
    at: z.string(),
    actor: z.string(),
    action: z.string(),
    subject: z.string(),
    before: z.unknown(),
    after: z.unknown(),
    request_id: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' });

const rawOf = (text: string | null): RawJson | null => (text === null ? null : new RawJson(text));

const shown = ({ at, before, after, ...entry }: AuditEntry): z.input<typeof Entry> => ({
  ...entry,
  at: at.toISOString(),
  before: rawOf(before),
  after: rawOf(after),
});

const listRoute = route({
  method: 'GET',
  path: '/api/audit',
  scope: 'admin',
  summary: 'Who changed what, newest first',
  input: z.strictObject({
    actor: z.string().optional(),
    subject: z.string().optional(),
    action: z.string().optional(),
    since: TIME.optional(),
    until: TIME.optional(),
    ...LONG_PAGE,
  }),
  answer: z.looseObject({ data: z.array(Entry), next_cursor: z.string().nullable() }),
  sql: 'millrace.audit',
  async run({ db }, { limit, cursor, ...filter }) {
    const places = cursors(z.int(), filter);
    const { entries, next } = await listAudit(db, filter, { limit, after: places.read(cursor) });
    return { data: entries.map(shown), next_cursor: places.write(next) };
  },
});

export const AUDIT_ROUTES: readonly Route[] = [listRoute];
