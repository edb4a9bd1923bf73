/** `millrace backfills`: backfills and replays, listed and controlled. The beginning of an id is enough. */
import { MillraceError } from '../../model/errors.ts';
import { printableOn } from '../../model/printable.ts';
import { duration } from '../../model/quantity.ts';
import type { Client } from '../client/client.ts';
import type { Group, OwnCommand, Running } from './command.ts';
import { oneLine, readJson } from './json.ts';
import { at, rowsOf, tellRows, tellThing, textAt } from './tell.ts';

const KINDS = ['backfill', 'replay'];
/** Newest first; at once. */
const PAGE = '500';
const LIST = 'GET /api/operations';

const VERBS: [verb: string, about: string, done: string][] = [
  ['pause', 'pause a backfill after its current page', 'paused, after its current page'],
  ['resume', 'continue a paused or failed backfill from where it stopped', 'continues where it stopped'],
  ['cancel', 'end a backfill for good; what it sent stays sent', 'cancelled; what it sent stays sent'],
];

export const BACKFILLS: Group = {
  name: 'backfills',
  about: 'list and control backfills',
  commands: [
    {
      words: 'list',
      about: 'list backfills that are running or have failed',
      flags: [{ flags: '--all', about: 'include those that have ended' }],
      asks: [LIST],
      examples: ['list', 'list --all'],
      run: list,
    },
    {
      words: 'show <id>',
      about: 'show a backfill',
      asks: [LIST, 'GET /api/operations/:id'],
      examples: ['show 3f0c1c4e'],
      run: show,
    },
    ...VERBS.map(
      ([verb, about, done]): OwnCommand => ({
        words: `${verb} <id>`,
        about,
        asks: [LIST, `POST /api/operations/:id/${verb}`],
        examples: [`${verb} 3f0c1c4e`],
        async run({ client, everywhere, person, arguments: [ref = ''] }) {
          const id = await idOf(client, ref);
          const { text } = await client.ask({ route: `POST /api/operations/:id/${verb}`, params: { id } });
          person.say(everywhere.json ? text : `${id} ${done}`);
          return 0;
        },
      }),
    ),
  ],
};

/** Those of each kind, newest first. */
async function read(client: Client): Promise<unknown[]> {
  const lists = await Promise.all(KINDS.map((kind) => client.ask({ route: LIST, query: { kind, limit: PAGE } })));
  return lists.flatMap(({ text }) => rowsOf(readJson(text))).toSorted(newestFirst);
}

const newestFirst = (one: unknown, other: unknown): number =>
  textAt(other, 'inserted_at').localeCompare(textAt(one, 'inserted_at'));

async function list({ client, everywhere, options, person }: Running): Promise<number> {
  const all = options.all === true;
  const rows = (await read(client)).filter((row) => all || !['done', 'cancelled'].includes(textAt(row, 'state')));
  if (everywhere.json) person.say(oneLine({ data: rows }));
  else if (rows.length > 0) process.stdout.write(tellRows(rows.map(shown), COLUMNS));
  else if (all) person.say('There was no backfill yet.');
  else person.say('No backfill is under way (--all shows the others too).');
  return 0;
}

const COLUMNS = {
  ...{ id: 'id', sink: 'sink', table: 'of', state: 'state', '-rows': 'progress.done', '-of': 'progress.total' },
  ...{ '-%': 'progress.percent', '-rows/s': 'progress.per_second', left: 'left', reason: 'reason' },
};

function shown(row: unknown): unknown {
  const seconds = at(row, 'progress.seconds_left');
  const whole = at(row, 'kind') === 'replay' ? '(replay)' : '(all)';
  return {
    ...Object(row),
    of: textAt(row, 'progress.table') || whole,
    left: typeof seconds === 'number' ? duration(seconds) : null,
  };
}

async function show({ client, everywhere, person, arguments: [ref = ''] }: Running): Promise<number> {
  const id = await idOf(client, ref);
  const { text } = await client.ask({ route: 'GET /api/operations/:id', params: { id } });
  person.say(everywhere.json ? text : printableOn(process.stdout, tellThing(readJson(text)).trimEnd()));
  return 0;
}

/** @throws MillraceError not_found; bad_request: several begin so. */
async function idOf(client: Client, ref: string): Promise<string> {
  const wanted = ref.trim().toLowerCase();
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(wanted)) return wanted;
  const rows = /^[0-9a-f][0-9a-f-]{2,35}$/.test(wanted) ? await read(client) : [];
  const found = rows.map((row) => textAt(row, 'id')).filter((id) => id.startsWith(wanted));
  const [id] = found;
  if (id === undefined) {
    const remedy = '`bin/millrace backfills list --all` shows the ids; `bin/millrace backfill SINK` starts one.';
    throw new MillraceError('not_found', `there is no backfill ${ref}`, { remedy });
  }
  if (found.length === 1) return id;
  const remedy = `Write more of it: ${found.slice(0, 5).join(', ')}.`;
  throw new MillraceError('bad_request', `several backfills begin with ${ref}`, { remedy });
}
