/** Commands of messages that are not settled: what waits, what failed, and what becomes of it. */
import { MillraceError } from '../../model/errors.ts';
import { printableOn } from '../../model/printable.ts';
import { count } from '../../model/quantity.ts';
import { millrace } from '../../model/quote.ts';
import type { Client } from '../client/client.ts';
import { isAgreed, remark } from '../terminal.ts';
import { type Field, fieldsOf, type Group, type OwnCommand, type Running, wholeNumber } from './command.ts';
import { WATCHING } from './jobs.ts';
import { pretty, readJson } from './json.ts';
import { LIST_FIELDS } from './list-fields.ts';
import { ATTEMPTS } from './sinks.ts';
import { at, rowsOf, tellMore, tellRows, tellThing, textAt } from './tell.ts';

const CONDITIONS: readonly Field[] = [
  { flags: '--table <table>', about: 'only messages of this table: orders, sales.orders', field: 'table' },
  { flags: '--key <key>', about: 'only messages of the row with this key', field: 'key' },
  { flags: '--action <action>', about: 'only this action: insert, update, delete or read', field: 'action' },
  { flags: '--error <text>', about: 'only messages whose error contains this text', field: 'error' },
  { flags: '--since <time>', about: 'only messages committed since then: 2026-11-22T08:00:00Z', field: 'since' },
  { flags: '--until <time>', about: 'only messages committed before this time', field: 'until' },
];
const GROUPED: readonly Field[] = [
  ...CONDITIONS,
  { flags: '--group <group>', about: 'only messages of this group of errors: message groups', field: 'group' },
];
const STATE: Field = {
  ...{ flags: '--state <state>', about: 'only waiting, leased, retrying, held or parked messages', field: 'state' },
};

const COLUMNS = {
  '-id': 'id',
  state: 'state',
  action: 'action',
  schema: 'table_schema',
  table: 'table_name',
  key: 'record_pk',
  '-attempts': 'attempts',
  committed: 'committed_at',
  error: 'error.text',
};

/** The paths of sinks and of change retentions. */
export const PATHS = ['/api/sinks', '/api/change_retentions'];
/** What `placeOf` asks. */
export const PLACING = PATHS.map((path) => `GET ${path}/:sink`);
/** Of messages of a sink. */
const asksOf = (method: 'GET' | 'POST', ...ends: string[]): string[] =>
  PATHS.flatMap((path) => ends.map((end) => `${method} ${path}/:sink/messages${end}`));

/** `/api/sinks` or `/api/change_retentions`, whichever has it. @throws MillraceError not_found */
export async function placeOf(client: Client, sink: string): Promise<string> {
  const has = async (path: string): Promise<MillraceError | undefined> => {
    try {
      await client.ask({ route: `GET ${path}/:sink`, params: { sink } });
      return undefined;
    } catch (error) {
      if (error instanceof MillraceError && error.code === 'not_found') return error;
      throw error;
    }
  };
  const fault = await has('/api/sinks');
  if (fault === undefined) return '/api/sinks';
  if ((await has('/api/change_retentions')) === undefined) return '/api/change_retentions';
  throw fault;
}

const texts = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)]));

/** Without a sink: how many each has. */
async function countEach({ client, everywhere }: Running, what: 'pending' | 'parked'): Promise<number> {
  const lists = await Promise.all(PATHS.map((path) => client.ask({ route: `GET ${path}` })));
  const rows = lists
    .flatMap(({ text }) => rowsOf(readJson(text)))
    .filter((row) => Number(at(row, `state.${what}`)) > 0)
    .map((row) => ({ name: at(row, 'name'), state: at(row, 'state') }));
  const columns = { sink: 'name', [`-${what}`]: `state.${what}`, 'oldest pending': 'state.oldest_committed_at' };
  process.stdout.write(everywhere.json ? `${JSON.stringify({ data: rows })}\n` : tellRows(rows, columns));
  return 0;
}

async function countThose(
  { client, everywhere, arguments: [sink = ''] }: Running,
  { place, query }: { place: string; query: Record<string, string> },
): Promise<number> {
  const { text } = await client.ask({ route: `GET ${place}/:sink/messages/count`, params: { sink }, query });
  const answer = readJson(text);
  const most = at(answer, 'is_estimate') === true ? ' or more' : '';
  process.stdout.write(everywhere.json ? `${text}\n` : `${textAt(answer, 'count')}${most}\n`);
  return 0;
}

const listing = (what: 'pending' | 'parked', fields: readonly Field[]): OwnCommand['run'] =>
  async function list(running) {
    const { client, everywhere, arguments: words } = running;
    const [sink] = words;
    const query = texts(fieldsOf(fields, running));
    if (sink === undefined) {
      if (Object.keys(query).length === 0 && running.options.count !== true) return await countEach(running, what);
      const remedy = `Name a sink: bin/millrace ${what} SINK`;
      throw new MillraceError('bad_request', 'these options are for the messages of one sink', { remedy });
    }
    if (what === 'parked') query.state = 'parked';
    const place = await placeOf(client, sink);
    if (running.options.count === true) return await countThose(running, { place, query });
    const route = `GET ${place}/:sink/messages`;
    const { text } = await client.ask({ route, params: { sink }, query });
    const answer = readJson(text);
    process.stdout.write(everywhere.json ? `${text}\n` : tellRows(rowsOf(answer), COLUMNS));
    if (!everywhere.json && !everywhere.quiet) process.stderr.write(tellMore(answer));
    return 0;
  };

async function show({ client, everywhere, arguments: [sink = '', id = ''] }: Running): Promise<number> {
  const route = `GET ${await placeOf(client, sink)}/:sink/messages/:id`;
  const { text } = await client.ask({ route, params: { sink, id }, query: { include: 'message' } });
  const { message, ...rest } = Object(readJson(text));
  const told = tellThing(rest) + (message === undefined ? '' : `message\n${pretty(message)}\n`);
  process.stdout.write(everywhere.json ? `${text}\n` : printableOn(process.stdout, told));
  return 0;
}

const GROUP_COLUMNS = {
  ...{
    '-count': 'count',
    stage: 'stage',
    first: 'first_at',
    last: 'last_at',
    tables: 'tables',
    '-message': 'sample_id',
  },
  ...{ group: 'filter.group', error: 'error' },
};

async function groups({ client, everywhere, arguments: [sink = ''] }: Running): Promise<number> {
  const route = `GET ${await placeOf(client, sink)}/:sink/messages/groups`;
  const { text } = await client.ask({ route, params: { sink } });
  process.stdout.write(everywhere.json ? `${text}\n` : tellRows(rowsOf(readJson(text)), GROUP_COLUMNS));
  return 0;
}

async function attempts({ client, everywhere, arguments: [sink = '', id = ''] }: Running): Promise<number> {
  const route = `GET ${await placeOf(client, sink)}/:sink/messages/:id/attempts`;
  const { text } = await client.ask({ route, params: { sink, id } });
  process.stdout.write(everywhere.json ? `${text}\n` : tellRows(rowsOf(readJson(text)), ATTEMPTS));
  return 0;
}

const PAST = { retry: 'tried again', discard: 'given up' };
const INFINITIVE = { retry: 'Try again', discard: 'Give up' };

const told = (sum: number, verb: 'retry' | 'discard'): string =>
  `${count(sum)} ${sum === 1 ? 'message is' : 'messages are'} ${verb === 'retry' ? 'to be ' : ''}${PAST[verb]}.\n`;

/** Many are an operation, which is watched. */
const settling = (verb: 'retry' | 'discard', fields: readonly Field[]): OwnCommand['run'] =>
  async function settle(running) {
    const { client, everywhere, options, person } = running;
    const [sink = '', ...ids] = running.arguments;
    const route = `POST ${await placeOf(client, sink)}/:sink/messages/${verb}`;
    const filter = fieldsOf(fields, running);
    if (ids.length > 0 && Object.keys(filter).length > 0) {
      const remedy = 'Leave out one of them.';
      throw new MillraceError('bad_request', 'ids and filters cannot be combined', { remedy });
    }
    const what = ids.length > 0 ? { ids: ids.map(wholeNumber('an id')) } : { filter };
    const ask = async (more: object): Promise<{ text: string; answer: unknown }> => {
      const { text } = await client.ask({ route, params: { sink }, body: { ...what, ...more } });
      return { text, answer: readJson(text) };
    };
    const sure = ids.length > 0 ? undefined : await ask({ dry_run: true });
    const expected = sure === undefined ? ids.length : Number(at(sure.answer, 'count'));
    const isMore = sure !== undefined && at(sure.answer, 'more') === true;
    const many = `${count(expected)}${isMore ? ' or more' : ''} ${expected === 1 ? 'message' : 'messages'}`;
    if (options.dryRun === true || expected === 0) {
      const said = sure === undefined ? `${many} of ${sink} named` : `${many} of ${sink} would be ${PAST[verb]}`;
      process.stdout.write(everywhere.json && sure !== undefined ? `${sure.text}\n` : `${said}\n`);
      return 0;
    }
    const unasked = {
      message: `${many} of ${sink} would be ${PAST[verb]}: that must be confirmed, and there is no terminal`,
      remedy: `${millrace(verb, sink, ...ids)} --yes`,
    };
    if (!everywhere.yes && !(await isAgreed(person, `${INFINITIVE[verb]} ${many} of ${sink}? [y/N] `, unasked))) {
      remark(running, 'Nothing was changed.');
      return 1;
    }
    const { text, answer } = await ask(sure === undefined ? {} : { expected_count: expected });
    if (at(answer, 'kind') === verb) return await watched(running, verb, textAt(answer, 'id'));
    process.stdout.write(everywhere.json ? `${text}\n` : told(Number(at(answer, 'count')), verb));
    return 0;
  };

/** @throws MillraceError: it failed, or was cancelled. */
async function watched(running: Running, verb: 'retry' | 'discard', id: string): Promise<number> {
  const { ended, follow } = await import('../jobs/follow.ts');
  const { json, quiet } = running.everywhere;
  if (running.options.wait === false) {
    process.stdout.write(json ? `${JSON.stringify({ id })}\n` : `${id}\n`);
    return 0;
  }
  const screen = running.screen();
  const { operation, left } = await follow(running, id, screen);
  if (left !== undefined) return left;
  const code = ended(running, operation, screen);
  if (!json && !quiet) process.stdout.write(told(Number(at(operation, 'result.count')), verb));
  return code;
}

const FLAGS = [
  { flags: '--dry-run', about: 'only count the messages' },
  { flags: '--no-wait', about: 'for more than 10,000 messages: print the id of the operation and do not follow it' },
];
const RETRY_FIELDS: readonly Field[] = [
  { flags: '--state <state>', about: 'parked: no other message can be retried', field: 'state' },
  ...GROUPED,
];
const DISCARD_FIELDS = [STATE, ...GROUPED];
const COUNT = { flags: '--count', about: 'only count the messages, up to 100,000' };
const ORDER: Field = {
  flags: '--order <order>',
  about: 'which messages come first: oldest (the default) or newest',
  field: 'order',
};
const PENDING_FIELDS = [STATE, ...CONDITIONS, ORDER, ...LIST_FIELDS];
const PARKED_FIELDS = [...GROUPED, ORDER, ...LIST_FIELDS];

export const MESSAGES: Group = {
  commands: [
    {
      words: 'pending [sink]',
      about: 'list messages of a sink that are not settled, by id; without a sink, how many each sink has',
      fields: PENDING_FIELDS,
      flags: [COUNT],
      asks: [...PATHS.map((path) => `GET ${path}`), ...PLACING, ...asksOf('GET', '', '/count')],
      examples: ['pending', 'pending orders-worker --table public.orders', 'pending orders-worker --order newest'],
      run: listing('pending', PENDING_FIELDS),
    },
    {
      words: 'parked [sink]',
      about: 'list messages of a sink that failed for good; without a sink, how many each sink has',
      fields: PARKED_FIELDS,
      flags: [COUNT],
      asks: [...PATHS.map((path) => `GET ${path}`), ...PLACING, ...asksOf('GET', '', '/count')],
      examples: ['parked', 'parked products-index --error mapper_parsing_exception'],
      run: listing('parked', PARKED_FIELDS),
    },
    {
      words: 'retry <sink> [ids...]',
      about: 'retry parked messages of a sink: those given by id, those that match a filter, or all; asks first',
      fields: RETRY_FIELDS,
      flags: FLAGS,
      watches: true,
      asks: [...PLACING, ...asksOf('POST', '/retry'), ...WATCHING],
      examples: ['retry products-index 1795250360075568', 'retry products-index --table products --dry-run'],
      run: settling('retry', RETRY_FIELDS),
    },
    {
      words: 'discard <sink> [ids...]',
      about: 'discard failed messages of a sink: those given by id, those that match a filter, or all; asks first',
      fields: DISCARD_FIELDS,
      flags: FLAGS,
      watches: true,
      asks: [...PLACING, ...asksOf('POST', '/discard'), ...WATCHING],
      examples: ['discard products-index 1795250360075568', 'discard products-index --state parked --yes'],
      run: settling('discard', DISCARD_FIELDS),
    },
  ],
};

export const MESSAGE: Group = {
  name: 'message',
  about: 'look at a message',
  commands: [
    {
      words: 'show <sink> <id>',
      about: 'show a message that is not settled, with its content',
      asks: [...PLACING, ...asksOf('GET', '/:id')],
      examples: ['show products-index 1795250360075568'],
      run: show,
    },
    {
      words: 'groups <sink>',
      about: 'show why messages of a sink are parked: groups of equal errors, the largest first',
      asks: [...PLACING, ...asksOf('GET', '/groups')],
      examples: ['groups products-index'],
      run: groups,
    },
    {
      words: 'attempts <sink> <id>',
      about: 'list the failed deliveries of a message: the first and the last nine',
      asks: [...PLACING, ...asksOf('GET', '/:id/attempts')],
      examples: ['attempts products-index 1795250360075568'],
      run: attempts,
    },
  ],
};
