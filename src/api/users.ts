/** People, with scopes as tokens have them. */
import { z } from 'zod';
import { changePassword } from '../admin/change-password.ts';
import { changeUser, createUser, listUsers, removeUser, showUser } from '../admin/users.ts';
import { Email } from '../model/person.ts';
import { SCOPE_LIST } from './api-keys.ts';
import { Created } from './created.ts';
import { PAGE, pageOf } from './page.ts';
import { type Route, route, writing } from './route.ts';
import { needAdmin } from './sessions.ts';
import { NEW_PASSWORD, PERSON_NAME, shownUser, UserShape } from './user-shape.ts';

const PATH = '/api/users';
const INPUT = z.strictObject({ id: z.uuid('must be the id of a user') });

const listRoute = route({
  method: 'GET',
  path: PATH,
  scope: 'admin',
  summary: 'All users',
  input: z.strictObject(PAGE),
  answer: z.looseObject({ data: z.array(UserShape), next_cursor: z.string().nullable() }),
  sql: null,
  async run({ db }, page) {
    const rows = (await listUsers(db)).map((user) => ({ name: user.email, user }));
    const { data, next_cursor } = pageOf(rows, page, {});
    return { data: data.map(({ user }) => shownUser(user)), next_cursor };
  },
});

const showRoute = route({
  method: 'GET',
  path: `${PATH}/:id`,
  scope: 'admin',
  summary: 'One user',
  input: INPUT,
  answer: UserShape,
  sql: null,
  run: async ({ db }, { id }) => shownUser(await showUser(db, id)),
});

const createRoute = writing({
  method: 'POST',
  path: PATH,
  scope: 'admin',
  summary: 'Creates a user',
  creates: 201,
  input: z.strictObject({}),
  body: z.strictObject({
    email: Email,
    name: PERSON_NAME.nullish(),
    password: NEW_PASSWORD.nullish(),
    scopes: SCOPE_LIST.default(['admin']),
  }),
  answer: UserShape,
  sql: null,
  async run({ db }, { body: { email, scopes, name = null, password = null } }, { by }) {
    const user = await createUser(db, { email, scopes, name, password }, by);
    return new Created(`${PATH}/${user.id}`, shownUser(user));
  },
});

const changeRoute = writing({
  method: 'PATCH',
  path: `${PATH}/:id`,
  scope: 'admin',
  summary: 'Changes the given fields of a user',
  input: INPUT,
  body: z.strictObject({
    email: Email.optional(),
    name: PERSON_NAME.nullish(),
    scopes: SCOPE_LIST.optional(),
  }),
  answer: UserShape,
  sql: null,
  run: async ({ db }, { id, body }, { by }) => shownUser(await changeUser(db, { id, change: body }, by)),
});

const removeRoute = writing({
  method: 'DELETE',
  path: `${PATH}/:id`,
  scope: 'admin',
  summary: 'Removes a user and ends their sessions at once',
  input: INPUT,
  body: z.strictObject({}),
  answer: z.looseObject({ success: z.literal(true), deleted: z.literal(true), id: z.uuid(), email: z.string() }),
  sql: null,
  async run({ db }, { id }, { by }) {
    const { email } = await removeUser(db, id, by);
    return { success: true as const, deleted: true as const, id, email };
  },
});

const passwordRoute = writing({
  method: 'POST',
  path: `${PATH}/:id/password`,
  scope: 'any',
  summary:
    'Sets your own password, with `current_password`; for an admin, also that of another user. Other sessions end',
  input: INPUT,
  body: z.strictObject({
    password: NEW_PASSWORD,
    current_password: z.string().max(1_000, 'has more than 1000 characters').optional(),
  }),
  answer: UserShape,
  sql: null,
  async run({ db }, { id, body }, asking) {
    const isOwn = asking.session?.userId === id;
    if (!isOwn) needAdmin(asking);
    const { password, current_password: current = null } = body;
    const wanted = { id, password, current: isOwn ? (current ?? '') : null, keepSession: asking.session?.id ?? null };
    return shownUser(await changePassword(db, wanted, asking));
  },
});

export const USER_ROUTES: readonly Route[] = [
  listRoute,
  showRoute,
  createRoute,
  changeRoute,
  removeRoute,
  passwordRoute,
];
