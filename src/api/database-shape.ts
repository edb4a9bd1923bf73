/** A source database as answers have it, with the keys of Sequin. */
import { z } from 'zod';
import { knownOfDatabase } from '../admin/doctor/known-checks.ts';
import { type ListedDatabase, plainAddress } from '../admin/list-databases.ts';
import type { KeyRing } from '../runtime/secret-key.ts';
import { healthShape, LEVELS, shownHealthChecks } from './health-shape.ts';
import { STANDING } from './standing-shape.ts';

/** As answers have it. */
export const CAPTURE_LAG = z
  .number()
  .nullable()
  .meta({
    description:
      "How many seconds capture is behind the source, by the source's clock, as capture said at most 5 s ago: while something that it has received " +
      'is not persisted, how long ago the transaction was committed that it is at; while nothing comes, since when it has not passed WAL that was ' +
      'seen there; 0 when all is persisted. Null: no capture process has said so for 15 s.',
  });

export const shownSeconds = (seconds: number | null): number | null =>
  seconds === null ? null : Math.max(0, Math.round(seconds * 1_000) / 1_000);

export const Database = z
  .looseObject({
    id: z.uuid(),
    name: z.string(),
    hostname: z.string(),
    port: z.number().nullable(),
    username: z.string().nullable(),
    database: z.string(),
    capture: z.enum(['replication', 'triggers']),
    trigger_errors: z.enum(['fail', 'skip']),
    password: z.literal('********'),
    replication_slots: z.array(z.looseObject({ slot_name: z.string(), publication_name: z.string() })),
    health: healthShape('Database'),
    state: z.looseObject({
      state: z.string().nullable(),
      reason: z.string().nullable(),
      remedy: z.string().nullable(),
      since: z.string().nullable(),
      epoch: z.number().nullable(),
      commit_lsn: z.string().nullable(),
      confirmed_lsn: z.string().nullable(),
      lag_seconds: CAPTURE_LAG,
    }),
    ...STANDING,
    version: z.number(),
    updated_by: z.string().nullable(),
    inserted_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'Database' });

export function shownDatabase(keys: KeyRing, database: ListedDatabase): z.input<typeof Database> {
  const { port = null, username = null } = plainAddress(keys, database) ?? {};
  const { id, name, hostname, settings, state, reason, remedy, epoch, commit_lsn, confirmed_lsn } = database;
  const {
    capture = 'replication',
    trigger_errors = 'fail',
    slot,
    publication,
    ssl,
    pool_size,
    max_row_bytes,
    invalid_utf8,
    annotations,
  } = settings;
  return {
    ...{ id, name, hostname, port, username, database: database.database_name, password: '********' as const },
    ...{ ssl, pool_size, max_row_bytes, invalid_utf8, annotations, capture, trigger_errors, slot, publication },
    replication_slots: [{ slot_name: slot.name, publication_name: publication.name }],
    health: {
      name: 'Database' as const,
      status: LEVELS[database.level],
      checks: shownHealthChecks(knownOfDatabase(database)),
    },
    state: {
      ...{ state, reason, remedy, since: database.state_since?.toISOString() ?? null },
      ...{ epoch, commit_lsn, confirmed_lsn, lag_seconds: shownSeconds(database.lag_seconds) },
    },
    ...{ managed_by: database.managed_by, declared_from: database.declared_from, entry_name: database.entry_name },
    ...{ version: database.version, updated_by: database.updated_by },
    inserted_at: database.inserted_at.toISOString(),
    updated_at: database.updated_at.toISOString(),
  };
}
