/** What goes on deleting entries of a change table when somebody else is to do so now: a job or a setting of an extension stays. */
import { quoteLiteral, quoteTable } from '../../../model/quote.ts';
import type { ChangeTableDestination } from '../section.ts';
import { intervalText } from './interval-text.ts';

/** For people; undefined: nothing does. */
export function leftBehind(before: ChangeTableDestination, after: ChangeTableDestination): string | undefined {
  const policy = before.retention;
  if (policy === null || policy.by === 'job' || placeOf(before) === placeOf(after)) return undefined;
  const table = quoteTable({ schema: before.table_schema, name: before.table_name });
  const old = `that are older than ${intervalText(policy.keep_seconds)}. To end that:`;
  if (policy.by === 'pg_cron') {
    const job = quoteLiteral(`millrace ${table}`);
    const elsewhere = "-- where pg_cron is in another database, the name has this one's before the table";
    return `the job of pg_cron stays, and deletes entries of ${table} ${old} select cron.unschedule(${job}) ${elsewhere}`;
  }
  const parent = quoteLiteral(`${before.table_schema}.${before.table_name}`);
  return `pg_partman still drops partitions of ${table} ${old} delete from partman.part_config where parent_table = ${parent}`;
}

/** Whose the deletion is, and of what. */
const placeOf = ({ database, table_schema, table_name, retention }: ChangeTableDestination): string =>
  JSON.stringify([database, table_schema, table_name, retention?.by]);
