/** Changes from the WAL, by a replication slot and a publication. */
import { randomUUID } from 'node:crypto';
import type { Database, PoolOptions } from '../../db/pool.ts';
import { statement } from '../../db/statement.ts';
import type { Log } from '../../runtime/log.ts';
import { identifySystem } from '../../source/identify.ts';
import { readBranch } from '../../source/timeline.ts';
import type { CapturedDatabase, Way } from '../method.ts';
import { readCut, renumberedSql } from '../switch/cut.ts';
import { isPassed, joinAt, renumberedOf } from '../switch/join.ts';
import { WATERMARK } from '../windows.ts';
import { openStream } from './connection.ts';
import { checkRunning, prepare } from './prepare.ts';

const READER_IDLE = statement('source/reader-idle');

export interface WayDeps {
  source: Database;
  /** Of `source`, for connections of another kind. */
  options: PoolOptions;
  messages: Database;
  log: Log;
  /** A further session of the source, for what may take long: whoever opens it closes it. */
  beside(): Database;
}

export function openReplication({ source, options, messages }: WayDeps, database: CapturedDatabase): Way {
  const identify = () => identifySystem(options);
  const branch = (between: { from: number; to: number }) => readBranch(options, between);
  const { slot, publication } = database.settings;
  const renumbered = `millrace:renumbered:${randomUUID()}`;
  return {
    slotName: slot.name,
    isEarly: true,
    prepare: () => prepare({ source, messages, readBranch: branch, identify }, database),
    check: (now) => checkRunning({ source, messages, identify }, now),
    open: (handlers, raw) =>
      openStream(handlers, { source: options, slot: slot.name, publication: publication.name, raw }),
    async between(session, { position: { commitLsn } }) {
      const cut = await readCut(messages, database.no);
      if (cut?.way !== 'replication' || isPassed(cut, commitLsn)) return session;
      return joinAt(session, { cut, commitLsn, prefix: renumbered });
    },
    isIdle: async () => (await source.query<{ idle: boolean }>(READER_IDLE, [slot.name])).rows[0]!.idle,
    progress: { prefix: renumbered, sqlOf: (content) => renumberedSql(database.no, renumberedOf(content)) },
    // Flushed at once, for the stream brings only what is, and waits for no standby.
    watermarkSql: (token) =>
      `set local synchronous_commit = local; select pg_logical_emit_message(true, '${WATERMARK}', '${token}')`,
  };
}
