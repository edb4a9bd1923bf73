/** Commands of sessions, which people have who logged in. */
import { MillraceError } from '../../model/errors.ts';
import { isAgreed, remark } from '../terminal.ts';
import { idOf } from './access.ts';
import type { Group, Running } from './command.ts';
import { readJson } from './json.ts';
import { rowsOf, tellRows, textAt } from './tell.ts';

export const SESSIONS: Group = {
  name: 'session',
  plural: 'sessions',
  about: 'list and end sessions of people',
  commands: [
    {
      words: 'list <user>',
      about: 'list the sessions of a person, given by e-mail address or id',
      asks: ['GET /api/users', 'GET /api/sessions'],
      examples: ['list ann@example.org'],
      run: list,
    },
    {
      words: 'end [session]',
      about: 'end one session by its id, or all sessions of a person, at once; asks first',
      flags: [{ flags: '--user <user>', about: 'all sessions of this person' }],
      asks: ['GET /api/users', 'DELETE /api/sessions', 'DELETE /api/sessions/:id'],
      examples: ['end 3f0c1c4e-6a36-4b5e-9f6e-0a8d6a1f7b11', 'end --user ann@example.org'],
      run: end,
    },
  ],
};

const COLUMNS = {
  ...{ id: 'id', since: 'inserted_at', 'last used': 'last_used_at', ends: 'expires_at' },
  ...{ from: 'address', with: 'user_agent' },
};

const userId = async ({ client }: Running, ref: string): Promise<string> =>
  await idOf(client, { route: 'GET /api/users', key: 'email', ref });

async function list(running: Running): Promise<number> {
  const user = await userId(running, running.arguments[0] ?? '');
  const { text } = await running.client.ask({ route: 'GET /api/sessions', query: { user } });
  process.stdout.write(running.everywhere.json ? `${text}\n` : tellRows(rowsOf(readJson(text)), COLUMNS));
  return 0;
}

async function end(running: Running): Promise<number> {
  const {
    client,
    everywhere,
    options,
    arguments: [id],
  } = running;
  if ((id === undefined) === (options.user === undefined)) {
    throw new MillraceError('bad_request', 'name a session, or a person with --user');
  }
  const what = id === undefined ? `all sessions of ${String(options.user)}` : `session ${id}`;
  const unasked = { message: `ending ${what} must be confirmed, and there is no terminal`, remedy: 'Add --yes.' };
  if (!everywhere.yes && !(await isAgreed(running.person, `End ${what} at once? [y/N] `, unasked))) {
    remark(running, 'Nothing was changed.');
    return 1;
  }
  const request =
    id === undefined
      ? { route: 'DELETE /api/sessions', query: { user: await userId(running, String(options.user)) } }
      : { route: 'DELETE /api/sessions/:id', params: { id } };
  const { text } = await client.ask(request);
  process.stdout.write(everywhere.json ? `${text}\n` : `ended: ${textAt(readJson(text), 'ended')}\n`);
  return 0;
}
