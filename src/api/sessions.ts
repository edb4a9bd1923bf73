/** People log in and out. What a session is known by goes in a cookie, never in an answer. */
import { z } from 'zod';
import { type LoggedIn, logIn } from '../admin/log-in.ts';
import { endSession, endSessions, listSessions, type Session } from '../admin/sessions.ts';
import { setUp } from '../admin/setup.ts';
import { showUser } from '../admin/users.ts';
import { MillraceError } from '../model/errors.ts';
import { Email } from '../model/person.ts';
import { type Asking, type Route, route, type SessionOf, writing } from './route.ts';
import { Signed } from './signed.ts';
import { NEW_PASSWORD, PERSON_NAME, shownUser, UserShape } from './user-shape.ts';

const MAX_BYTES = 16 * 1024;

const LoggedInShape = z
  .looseObject({ user: UserShape, session_id: z.uuid(), csrf: z.string(), expires_at: z.string() })
  .meta({ id: 'LoggedIn' });

function signed({ value, csrf, user, sessionId, expiresAt }: LoggedIn): Signed<z.input<typeof LoggedInShape>> {
  const body = { user: shownUser(user), session_id: sessionId, csrf, expires_at: expiresAt.toISOString() };
  return new Signed(value, body);
}

const setupRoute = writing({
  method: 'POST',
  path: '/api/setup',
  scope: 'none',
  summary: 'Creates the first user, an admin, with the token that a start prints, and logs in',
  input: z.strictObject({}),
  body: z.strictObject({
    token: z.string().min(1, 'is empty: a start prints it').max(200, 'has more than 200 characters'),
    email: Email,
    name: PERSON_NAME.nullish(),
    password: NEW_PASSWORD,
  }),
  maxBytes: MAX_BYTES,
  answer: LoggedInShape,
  sql: null,
  run: async ({ db }, { body: { name = null, ...wanted } }, { client }) =>
    signed(await setUp(db, { ...wanted, name }, client)),
});

const loginRoute = writing({
  method: 'POST',
  path: '/api/sessions',
  scope: 'none',
  summary: 'Logs in; the answer sets a cookie',
  input: z.strictObject({}),
  // Of any length that a person may have: whether it is the right one is all that is said.
  body: z.strictObject({
    email: z.string().max(320, 'has more than 320 characters'),
    password: z.string().max(1_000, 'has more than 1000 characters'),
  }),
  maxBytes: MAX_BYTES,
  answer: LoggedInShape,
  sql: null,
  run: async ({ db }, { body }, { client }) => signed(await logIn(db, body, client)),
});

const SessionShape = z
  .looseObject({
    id: z.uuid(),
    user_id: z.uuid(),
    is_current: z.boolean(),
    inserted_at: z.string(),
    last_used_at: z.string(),
    expires_at: z.string(),
    address: z.string().nullable(),
    user_agent: z.string().nullable(),
  })
  .meta({ id: 'Session' });

function shown(
  { created_at, seen_at, expires_at, ...session }: Session,
  current: string | undefined,
): z.input<typeof SessionShape> {
  return {
    ...session,
    is_current: session.id === current,
    inserted_at: created_at.toISOString(),
    last_used_at: seen_at.toISOString(),
    expires_at: expires_at.toISOString(),
  };
}

const listRoute = route({
  method: 'GET',
  path: '/api/sessions',
  scope: 'any',
  summary: 'Your own sessions; for an admin, also those of another `user`',
  input: z.strictObject({ user: z.uuid('must be the id of a user').optional() }),
  answer: z.looseObject({ data: z.array(SessionShape), next_cursor: z.null() }),
  sql: null,
  async run({ db }, { user }, asking) {
    const current = asking.session?.id;
    const id = user ?? personOf(asking).userId;
    if (id !== asking.session?.userId) {
      needAdmin(asking);
      await showUser(db, id);
    }
    return { data: (await listSessions(db, id)).map((one) => shown(one, current)), next_cursor: null };
  },
});

const Ended = z.looseObject({ success: z.literal(true), ended: z.number() });

const endRoute = writing({
  method: 'DELETE',
  path: '/api/sessions/:id',
  scope: 'any',
  summary: 'Ends a session: `current` logs out; an admin can end those of others',
  input: z.strictObject({ id: z.union([z.uuid(), z.literal('current')], 'must be the id of a session, or current') }),
  body: z.strictObject({}),
  answer: Ended,
  sql: null,
  async run({ db }, { id: given }, asking) {
    const id = given === 'current' ? personOf(asking).id : given;
    const userId = asking.may('admin') ? null : personOf(asking).userId;
    await endSession(db, { id, userId }, asking.by);
    const answer = { success: true as const, ended: 1 };
    return id === asking.session?.id ? new Signed(null, answer) : answer;
  },
});

const endAllRoute = writing({
  method: 'DELETE',
  path: '/api/sessions',
  scope: 'any',
  summary: 'Ends all your other sessions; for an admin, all sessions of another `user`',
  input: z.strictObject({ user: z.uuid('must be the id of a user').optional() }),
  body: z.strictObject({}),
  answer: Ended,
  sql: null,
  async run({ db }, { user }, asking) {
    const userId = user ?? personOf(asking).userId;
    if (userId !== asking.session?.userId) {
      needAdmin(asking);
      await showUser(db, userId);
    }
    const ended = await endSessions(db, { userId, keep: asking.session?.id ?? null }, asking.by);
    return { success: true as const, ended };
  },
});

/** @throws MillraceError forbidden: a token asks. */
export function personOf({ session }: Asking): SessionOf {
  if (session !== undefined) return session;
  throw new MillraceError('forbidden', 'This is for a person who has logged in, and a token asks');
}

/** @throws MillraceError forbidden */
export function needAdmin(asking: Asking): void {
  if (asking.may('admin')) return;
  throw new MillraceError('forbidden', 'What belongs to others needs the scope `admin`', { facts: { needs: 'admin' } });
}

export const SESSION_ROUTES: readonly Route[] = [setupRoute, loginRoute, listRoute, endRoute, endAllRoute];
