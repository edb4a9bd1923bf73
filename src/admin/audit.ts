/** What was changed, and by whom. Rows are written where the change is made: `catalog/audit.ts`. */
import type { Queryable } from '../db/pool.ts';
import { statement } from '../db/statement.ts';

const LIST = statement('admin/list-audit');
/** Rows that are looked at for one page: a filter that fits little goes on with the next one. */
const LOOKED = 50_000;

export interface AuditEntry {
  id: number;
  at: Date;
  actor: string;
  action: string;
  subject: string;
  /** JSON texts. */
  before: string | null;
  after: string | null;
  request_id: string | null;
}

export interface AuditFilter {
  /** Whole, or its kind: `token ci`, `token`. */
  actor?: string | undefined;
  /** As `actor`. */
  subject?: string | undefined;
  action?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
}

export interface AuditPage {
  entries: AuditEntry[];
  /** Behind which the next page begins; null: there are no more. */
  next: number | null;
}

/** Newest first. */
export async function listAudit(
  db: Queryable,
  { actor, subject, action, since, until }: AuditFilter,
  page: { limit: number; after?: number | undefined; looked?: number },
): Promise<AuditPage> {
  const { limit, after, looked = LOOKED } = page;
  const wanted = [actor, subject, action, since, until, after].map((value) => value ?? null);
  const { rows } = await db.query<{ id: number | null; looked_id: number | null }>(LIST, [
    ...wanted,
    looked,
    limit + 1,
  ]);
  const found = rows.filter((row): row is AuditEntry & { looked_id: number | null } => row.id !== null);
  const entries = found.slice(0, limit).map(({ looked_id: _, ...entry }) => entry);
  return { entries, next: found.length > limit ? entries.at(-1)!.id : (rows[0]?.looked_id ?? null) };
}
