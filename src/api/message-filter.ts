/** Which messages are meant: the same words in a query string and in a body. */
import { z } from 'zod';
import type { MESSAGE_STATES, MessageFilter } from '../admin/list-messages.ts';
import { MillraceError } from '../model/errors.ts';
import { TableName } from '../model/scalars.ts';
import type { Permitted } from './route.ts';
import { TIME } from './time.ts';

const ACTIONS = ['insert', 'update', 'delete', 'read'] as const;

/** All but the state. */
export const CONDITIONS = {
  table: TableName.optional(),
  key: z.string().optional(),
  action: z.enum(ACTIONS, `must be one of ${ACTIONS.join(', ')}`).optional(),
  error: z.string().min(1, 'is empty').optional(),
  group: z
    .string()
    .regex(/^[0-9a-f]{16}$/, 'must be the `group` of a filter of `messages/groups`')
    .optional(),
  since: TIME.optional(),
  until: TIME.optional(),
};

export const stateOf = <State extends (typeof MESSAGE_STATES)[number]>(states: readonly [State, ...State[]]) =>
  z.enum(states, `must be ${states.length === 1 ? '' : 'one of '}${states.join(', ')}`).optional();

/** Keys are data, and an error may quote a row: who may not read them may not look for them either. @throws MillraceError forbidden */
export function refuseLooking({ key, error }: MessageFilter, asking: Permitted): void {
  if (asking.may('read:data') || (key === undefined && error === undefined)) return;
  const field = key === undefined ? 'error' : 'key';
  throw new MillraceError('forbidden', `The token does not have the scope \`read:data\`, which \`${field}\` needs`, {
    remedy: 'Give it that scope in `api_tokens`, and apply the file; or leave that out.',
    facts: { needs: 'read:data' },
  });
}
