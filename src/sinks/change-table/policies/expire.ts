/**
 * Our retention jobs on a clock: each change table with a policy of ours is cleaned every so often by a keyed job, one at
 * a time over all workers. A failed one is logged and comes at its next time; nothing else waits for it.
 */

import type { Database } from '../../../db/pool.ts';
import { statement } from '../../../db/statement.ts';
import { type QuotedTable, quoteIdentifier, quoteTable } from '../../../model/quote.ts';
import { withoutValues } from '../../../model/refusal.ts';
import { isHiddenByPolicy, isMissingTable, isNotPermitted } from '../../../model/sqlstate.ts';
import { replaceSinkNotices } from '../../../notices/replace.ts';
import type { JobsGiven, SinkEntry, SinkJobs } from '../../contract.ts';
import type { ChangeTableDestination } from '../section.ts';
import { inspectTable } from '../table.ts';
import { expireRows } from './policy.ts';

const MAY_EXPIRE = statement('sinks/change-table/may-expire');
const NOTE_RUN = statement('sinks/change-table/note-run');

const EXPIRE_TASK = 'expire';
const RECHECK_MS = 60_000;

export function openExpiries(deps: JobsGiven<ChangeTableDestination>): SinkJobs {
  /** When each retention was last cleaned, or first seen here. */
  const seen = new Map<number, number>();

  const schedule = async (): Promise<void> => {
    const { sinks } = await deps.load();
    for (const { sink, policy } of expiring(sinks)) {
      const last = seen.get(sink.no);
      if (last !== undefined && performance.now() - last < policy.every_seconds * 1_000) continue;
      const added = await deps.jobs().add(EXPIRE_TASK, { sink: sink.no }, { key: `${EXPIRE_TASK}:${sink.no}` });
      if (added) seen.set(sink.no, performance.now());
    }
  };

  /** Shows that the job fails, until it has succeeded, and when it ran last. */
  const note = async (
    { sink, table, policy }: Expiring,
    error: unknown,
    { deleted = 0, remedy = 'Fix what the message says. It is tried again at the next run of the job.' } = {},
  ): Promise<void> => {
    const failure = error === null ? null : withoutValues(error);
    await deps.messages
      .query(NOTE_RUN, [sink.no, deleted, failure, policy.every_seconds])
      .catch((err: unknown) => deps.log.warn({ sink: sink.name, err }, 'a run of a retention job was not noted'));
    const name = `${table.table_schema}.${table.table_name}`;
    const message = `old entries of ${name} cannot be deleted: ${withoutValues(error)}`;
    const found = error === null ? [] : [{ code: 'job_fails', table: name, message, remedy }];
    await replaceSinkNotices(deps.messages, { by: 'job', sinkId: sink.id }, found).catch((err: unknown) =>
      deps.log.warn({ sink: sink.name, err }, 'a notice could not be written'),
    );
  };

  return {
    name: 'expiries',
    taskName: EXPIRE_TASK,
    async task(payload, signal) {
      const { sink: no } = payload as { sink: number };
      const { sinks, openDatabase } = await deps.load();
      const found = expiring(sinks).find(({ sink }) => sink.no === no);
      if (!found) return;
      const { db: destination } = await openDatabase({ name: found.table.database, use: 'retention job' });
      try {
        const input = { table: placeOf(found), keepSeconds: found.policy.keep_seconds, signal };
        const deleted = await expireRows({ destination }, input).catch(async (error: unknown) => {
          // The sink has made it a moment later, as at its first start.
          if (isMissingTable(error) && (await isThere(destination, found))) return expireRows({ destination }, input);
          throw error;
        });
        if (deleted > 0) deps.log.info({ sink: found.sink.name, deleted }, 'old entries of a change table deleted');
        await note(found, null, { deleted });
      } catch (error) {
        const sink = found.sink.name;
        // That there is none is the sink's circuit, with what to do. What its triggers miss is not.
        if (isMissingTable(error) && !(await isThere(destination, found)))
          deps.log.info({ sink, reason: withoutValues(error) }, 'no change table to delete from yet');
        else {
          deps.log.error({ sink, err: error }, 'deleting old entries of a change table failed');
          if (!signal.aborted) await note(found, error, await remedyOf(error, destination, found));
        }
      } finally {
        await destination.close();
      }
    },
    async run(signal) {
      while (!signal.aborted) {
        await schedule().catch((error: unknown) => deps.log.warn({ err: error }, 'retention jobs not scheduled'));
        await new Promise<void>((resolve) => {
          const end = (): void => {
            clearTimeout(timer);
            signal.removeEventListener('abort', end);
            resolve();
          };
          const timer = setTimeout(end, Math.min(RECHECK_MS, shortest(seen)));
          signal.addEventListener('abort', end);
        });
      }
    },
    close: () => Promise.resolve(),
  };
}

/** Writing needs less than deleting does, so this is all that may be missing. */
async function remedyOf(error: unknown, destination: Database, found: Expiring): Promise<{ remedy?: string }> {
  if (!isNotPermitted(error) || isHiddenByPolicy(error)) return {};
  const place = quoteTable(placeOf(found));
  const { rows } = await destination.query<{ role: string; may: boolean }>(MAY_EXPIRE, [place]);
  const { role, may } = rows[0]!;
  // It is a trigger of the table that lacks a right.
  return may ? {} : { remedy: `Run there: grant select, delete on ${place} to ${quoteIdentifier(role)}` };
}

const isThere = async (destination: Database, found: Expiring): Promise<boolean> =>
  (await inspectTable(destination, placeOf(found))).kind !== null;

const placeOf = ({ table }: Expiring): QuotedTable => ({ schema: table.table_schema, name: table.table_name });

/** Look again soon after the start, when the jobs may not be up yet. */
const shortest = (seen: ReadonlyMap<number, number>): number => (seen.size === 0 ? 5_000 : RECHECK_MS);

type Expiring = ReturnType<typeof expiring>[number];

function expiring(sinks: readonly SinkEntry<ChangeTableDestination>[]) {
  return sinks.flatMap((sink) => {
    const table = sink.settings.destination;
    // The others are done by an extension of the database.
    return table.retention?.by === 'job' ? [{ sink, table, policy: table.retention }] : [];
  });
}
