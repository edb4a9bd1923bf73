/** Why messages of a sink or a change retention are parked: groups of equal errors, each with the filter that finds it. */
import { z } from 'zod';
import { findSink } from '../admin/find-sink.ts';
import type { MessageGroup } from '../admin/message-groups.ts';
import type { MessagesOf } from './messages.ts';
import { type Permitted, REF, type Route, shared } from './route.ts';

const Group = z
  .looseObject({
    stage: z.string().nullable(),
    count: z.number(),
    first_at: z.string(),
    last_at: z.string(),
    tables: z.array(z.string()),
    sample_id: z.number(),
    filter: z.looseObject({ state: z.literal('parked'), group: z.string() }),
    record_pk: z.string().nullable().optional(),
    error: z.string().nullable().optional(),
  })
  .meta({ id: 'MessageGroup' });

/** Without `read:data` there is no key and no error. */
const shown = ({ group, record_pk, error, ...rest }: MessageGroup, asking: Permitted): z.input<typeof Group> => ({
  ...rest,
  first_at: rest.first_at.toISOString(),
  last_at: rest.last_at.toISOString(),
  filter: { state: 'parked', group },
  ...(asking.may('read:data') ? { record_pk, error } : {}),
});

export const messageGroupsOf = ({ path, list, what }: MessagesOf): Route =>
  shared({
    method: 'GET',
    path: `${path}/:sink/messages/groups`,
    scope: 'read',
    summary: `Parked messages of ${what} in groups of equal errors, the largest first`,
    input: z.strictObject({ sink: REF }),
    answer: z.looseObject({
      data: z.array(Group),
      next_cursor: z.null(),
      scanned: z.number(),
      is_estimate: z.boolean(),
    }),
    sql: null,
    async run({ db, messageGroups }, { sink }, asking) {
      const { groups, looked, is_estimate } = await messageGroups((await findSink(db, sink, list)).no);
      return { data: groups.map((group) => shown(group, asking)), next_cursor: null, scanned: looked, is_estimate };
    },
  });
