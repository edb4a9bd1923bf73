/** What keeps WAL in a source, looked at now. */
import { z } from 'zod';
import { listSlots } from '../admin/source-slots.ts';
import { REF, route } from './route.ts';

const Slot = z.looseObject({
  name: z.string(),
  ours: z.boolean(),
  kind: z.enum(['logical', 'physical']),
  database: z.string().nullable(),
  active_pid: z.number().nullable(),
  application: z.string().nullable(),
  wal_status: z.string().nullable(),
  kept_bytes: z.number().nullable(),
  safe_bytes: z.number().nullable(),
});

export const slotsRoute = route({
  method: 'GET',
  path: '/api/postgres_databases/:database/slots',
  scope: 'read',
  summary: 'The current replication slots of a source, and what makes its server keep WAL',
  input: z.strictObject({ database: REF }),
  answer: z
    .looseObject({
      slots: z.array(Slot),
      limit_bytes: z.number().nullable(),
      oldest_writer: z
        .looseObject({
          pid: z.number().nullable(),
          prepared: z.string().nullable(),
          username: z.string().nullable(),
          application: z.string().nullable(),
          since: z.string().nullable(),
        })
        .nullable(),
    })
    .meta({ id: 'SourceSlots' }),
  sql: null,
  async run({ outside }, { database }) {
    const { slotName, slots, limitBytes, oldestWriter } = await outside((on) => listSlots(on, database));
    return {
      slots: slots.map((slot) => ({ ...slot, ours: slot.name === slotName })),
      limit_bytes: limitBytes,
      oldest_writer: oldestWriter && { ...oldestWriter, since: oldestWriter.since?.toISOString() ?? null },
    };
  },
});
