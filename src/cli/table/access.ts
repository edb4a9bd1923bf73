/** Commands of tokens, people and the audit log. */
import { MillraceError } from '../../model/errors.ts';
import type { Client } from '../client/client.ts';
import { hidden, isAgreed, remark } from '../terminal.ts';
import { type Field, fieldsOf, type Group, type Running } from './command.ts';
import { readJson } from './json.ts';
import { LIST_FIELDS } from './list-fields.ts';
import { at, rowsOf, tellRows, tellThing, textAt } from './tell.ts';

const SCOPES = { flags: '--scope <scope...>', about: 'read, read:data, operate, admin, consume:SINK', field: 'scopes' };

/** Of a token by its name, of a person by the e-mail address; an id is one already. @throws MillraceError not_found */
export async function idOf(
  client: Client,
  { route, key, ref }: { route: string; key: string; ref: string },
): Promise<string> {
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(ref)) return ref;
  const rows = rowsOf(readJson((await client.ask({ route })).text));
  const found = rows.find((row) => at(row, key) === ref);
  if (found !== undefined) return textAt(found, 'id');
  throw new MillraceError('not_found', `there is nothing called ${ref}`, { remedy: 'List them to see what there is.' });
}

const deleting = (of: { list: string; route: string; key: string; what: string; done: string }) =>
  async function remove(running: Running): Promise<number> {
    const {
      client,
      everywhere,
      person,
      arguments: [ref = ''],
    } = running;
    const id = await idOf(client, { route: of.list, key: of.key, ref });
    const unasked = {
      message: `removing ${of.what} ${ref} must be confirmed, and there is no terminal`,
      remedy: 'Add --yes.',
    };
    if (!everywhere.yes && !(await isAgreed(person, `Remove ${of.what} ${ref} at once? [y/N] `, unasked))) {
      remark(running, 'Nothing was removed.');
      return 1;
    }
    const { text } = await client.ask({ route: of.route, params: { id } });
    process.stdout.write(everywhere.json ? `${text}\n` : `${ref} ${of.done}\n`);
    return 0;
  };

export const TOKENS: Group = {
  name: 'token',
  plural: 'tokens',
  about: 'manage API tokens',
  commands: [
    {
      words: 'list',
      about: 'list API tokens, without the tokens themselves',
      route: 'GET /api/api_keys',
      fields: LIST_FIELDS,
      examples: ['list'],
      tell: (answer) =>
        tellRows(rowsOf(answer), {
          ...{ name: 'name', begins: 'prefix', scopes: 'scopes', by: 'managed_by', expires: 'expires_at' },
          ...{ 'last used': 'last_used_at', revoked: 'revoked_at', id: 'id' },
        }),
    },
    {
      words: 'create',
      about: 'create an API token, and print it once',
      route: 'POST /api/api_keys',
      fields: [
        { flags: '--name <name>', about: 'what the token is for', field: 'name' },
        SCOPES,
        { flags: '--expires <time>', about: 'when it expires: 2027-01-31T08:00:00Z', field: 'expires_at' },
      ],
      examples: [
        'create --name ci --scope operate',
        'create --name dashboard --scope read --expires 2027-01-31T08:00:00Z',
      ],
      tell: (answer) => textAt(answer, 'token'),
    },
    {
      words: 'revoke <token>',
      about: 'revoke an API token at once, by its name or id; asks first',
      asks: ['GET /api/api_keys', 'DELETE /api/api_keys/:id'],
      examples: ['revoke ci'],
      run: deleting({
        ...{ list: 'GET /api/api_keys', route: 'DELETE /api/api_keys/:id', key: 'name', what: 'token' },
        done: 'is revoked.',
      }),
    },
  ],
};

const USER_FIELDS: readonly Field[] = [
  { flags: '--email <email>', about: 'the new e-mail address', field: 'email' },
  { flags: '--name <name>', about: 'their name, as shown to others', field: 'name' },
  SCOPES,
];

export const USERS: Group = {
  name: 'user',
  plural: 'users',
  about: 'manage people who log in',
  commands: [
    {
      words: 'list',
      about: 'list people who may log in',
      route: 'GET /api/users',
      fields: LIST_FIELDS,
      examples: ['list'],
      tell: (answer) =>
        tellRows(rowsOf(answer), { email: 'email', name: 'name', scopes: 'scopes', since: 'inserted_at', id: 'id' }),
    },
    {
      words: 'create <email>',
      about: 'create a person who may log in; asks for the password, or reads it from the standard input',
      fields: [{ flags: '--name <name>', about: 'their name, as shown to others', field: 'name' }, SCOPES],
      asks: ['POST /api/users'],
      examples: ['create ann@example.org --scope operate read:data'],
      run: create,
    },
    {
      words: 'edit <user>',
      about: 'change the e-mail address, the name or the scopes of a person',
      fields: USER_FIELDS,
      asks: ['GET /api/users', 'PATCH /api/users/:id'],
      examples: ['edit ann@example.org --scope read'],
      run: edit,
    },
    {
      words: 'password <user>',
      about: 'set the password of a person and end their sessions; asks for it, or reads it from the standard input',
      asks: ['GET /api/users', 'POST /api/users/:id/password'],
      examples: ['password ann@example.org'],
      run: password,
    },
    {
      words: 'remove <user>',
      about: 'remove a person and end their sessions; asks first',
      asks: ['GET /api/users', 'DELETE /api/users/:id'],
      examples: ['remove ann@example.org'],
      run: deleting({
        ...{ list: 'GET /api/users', route: 'DELETE /api/users/:id', key: 'email', what: 'user' },
        done: 'is removed.',
      }),
    },
  ],
};

/** Not on the command line, where others of the machine see it. */
async function typedPassword(): Promise<string> {
  if (process.stdin.isTTY) return await hidden('Password: ');
  let text = '';
  for await (const part of process.stdin) text += String(part);
  return text.replace(/\r?\n$/, '');
}

async function create({ client, everywhere, arguments: [email], options }: Running): Promise<number> {
  const { name, scope: scopes } = options;
  const given = { email, ...(name === undefined ? {} : { name }), ...(scopes === undefined ? {} : { scopes }) };
  const { text } = await client.ask({ route: 'POST /api/users', body: { ...given, password: await typedPassword() } });
  process.stdout.write(everywhere.json ? `${text}\n` : tellThing(readJson(text)));
  return 0;
}

async function edit(running: Running): Promise<number> {
  const {
    client,
    everywhere,
    arguments: [ref = ''],
  } = running;
  const body = fieldsOf(USER_FIELDS, running);
  if (Object.keys(body).length === 0) {
    const remedy = 'Give --email, --name or --scope.';
    throw new MillraceError('bad_request', 'there is nothing to change', { remedy });
  }
  const id = await idOf(client, { route: 'GET /api/users', key: 'email', ref });
  const { text } = await client.ask({ route: 'PATCH /api/users/:id', params: { id }, body });
  process.stdout.write(everywhere.json ? `${text}\n` : tellThing(readJson(text)));
  return 0;
}

async function password({ client, everywhere, arguments: [ref = ''] }: Running): Promise<number> {
  const id = await idOf(client, { route: 'GET /api/users', key: 'email', ref });
  const body = { password: await typedPassword() };
  const { text } = await client.ask({ route: 'POST /api/users/:id/password', params: { id }, body });
  process.stdout.write(everywhere.json ? `${text}\n` : `The password of ${ref} is set.\n`);
  return 0;
}

export const AUDIT: Group = {
  commands: [
    {
      words: 'audit',
      about: 'list who changed what, newest first',
      route: 'GET /api/audit',
      fields: [
        {
          flags: '--actor <actor>',
          about: '"token ci", "user ann@example.org", or only the first word',
          field: 'actor',
        },
        { flags: '--subject <subject>', about: '"sink products-index"; or the first word alone', field: 'subject' },
        { flags: '--action <action>', about: 'create, update, delete, pause, retry, ...', field: 'action' },
        { flags: '--since <time>', about: 'from this time on', field: 'since' },
        { flags: '--until <time>', about: 'before this time', field: 'until' },
        ...LIST_FIELDS,
      ],
      examples: ['audit', 'audit --subject "sink products-index" --limit 10'],
      tell: (answer) =>
        tellRows(rowsOf(answer), { at: 'at', who: 'actor', action: 'action', what: 'subject', request: 'request_id' }),
    },
  ],
};
