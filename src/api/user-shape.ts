/** A user as answers show it, and the fields of one as requests write them. */
import { z } from 'zod';
import type { User } from '../admin/users.ts';
import { PASSWORD_LENGTH } from '../model/person.ts';

export const PERSON_NAME = z.string().trim().min(1, 'is empty').max(200, 'has more than 200 characters');

export const NEW_PASSWORD = z
  .string()
  .min(PASSWORD_LENGTH, `must have ${PASSWORD_LENGTH} characters or more`)
  .max(1_000, 'has more than 1000 characters');

export const UserShape = z
  .looseObject({
    id: z.uuid(),
    email: z.string(),
    name: z.string().nullable(),
    scopes: z.array(z.string()),
    has_password: z.boolean(),
    created_by: z.string(),
    inserted_at: z.string(),
    updated_at: z.string(),
    last_login_at: z.string().nullable(),
    sessions: z.number(),
  })
  .meta({ id: 'User' });

export function shownUser({ created_at, updated_at, last_login_at, ...user }: User): z.input<typeof UserShape> {
  return {
    ...user,
    inserted_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    last_login_at: last_login_at?.toISOString() ?? null,
  };
}
