/** Commands of functions. */
import { readFileSync } from 'node:fs';
import { MillraceError } from '../../model/errors.ts';
import { printableOn } from '../../model/printable.ts';
import { changesOf } from './change.ts';
import type { Group, Running } from './command.ts';
import { pretty, readJson } from './json.ts';
import { LIST_FIELDS } from './list-fields.ts';
import { at, rowsOf, tellRows, tellThing } from './tell.ts';

const TYPES = ['transform', 'filter', 'routing', 'path'];

export const FUNCTIONS: Group = {
  name: 'function',
  plural: 'functions',
  about: 'manage functions, which transform, filter and route messages',
  commands: [
    {
      words: 'list',
      about: 'list functions, with the sinks that use them',
      route: 'GET /api/functions',
      fields: [
        { flags: '--type <type>', about: 'only functions of this type', field: 'type', choices: TYPES },
        ...LIST_FIELDS,
      ],
      examples: ['list', 'list --type filter'],
      tell: (answer) => tellRows(rowsOf(answer).map(withUsers), COLUMNS),
    },
    {
      words: 'show <function>',
      about: 'show a function with its code, and the sinks that use it',
      route: 'GET /api/functions/:function',
      examples: ['show product-document'],
      tell: tellThing,
    },
    {
      words: 'run [function]',
      about:
        'try a function, stored or in a file, on pending messages or on those in a file; nothing is stored or sent; exit code 2: it failed on a message',
      fields: [{ flags: '--type <type>', about: 'the type of code in a file', field: 'type', choices: TYPES }],
      flags: [
        { flags: '--code <file>', about: 'code that is not stored yet' },
        {
          flags: '--sink <sink>',
          about: 'on messages of this sink that are not settled, as the sink would receive them',
        },
        { flags: '--messages <file>', about: 'on the messages in this file: a JSON array of at most ten' },
      ],
      asks: ['POST /api/functions/run'],
      examples: [
        'run product-document --sink products-index',
        'run --code shape.js --type transform --sink products-index',
      ],
      run,
    },
    ...changesOf({
      ...{ kind: 'function', word: 'function', path: '/api/functions', parameter: 'function', list: 'functions' },
      example: 'product-document',
    }),
  ],
};

const COLUMNS = { name: 'name', type: 'type', 'used by': 'users', by: 'managed_by', description: 'description' };

const withUsers = (row: unknown): unknown => {
  const used = at(row, 'used_by');
  const names = (Array.isArray(used) ? used : []).map((one) => (typeof one === 'string' ? one : at(one, 'name')));
  return { ...Object(row), users: names.join(', ') };
};

/** Messages go as the text that they are, with every digit. */
async function run({ client, everywhere, arguments: [name], options }: Running): Promise<number> {
  const { code, type, sink, messages } = options;
  if ((name === undefined) === (code === undefined)) {
    throw new MillraceError('bad_request', 'name a stored function, or give code with --code FILE and --type');
  }
  if ((sink === undefined) === (messages === undefined)) {
    throw new MillraceError('bad_request', 'name a sink with --sink, or a file with --messages');
  }
  const what = name === undefined ? { type, code: read(String(code)) } : { function: name };
  const texts = messages === undefined ? '' : read(String(messages));
  const on = messages === undefined ? JSON.stringify({ recent: sink }) : `{"messages":${texts}}`;
  const body = `${JSON.stringify(what).slice(0, -1)},"on":${on}}`;
  const { text } = await client.ask({ route: 'POST /api/functions/run', body });
  const found = at(readJson(text), 'results');
  const results = Array.isArray(found) ? found : [];
  const lines = results.map((one) =>
    at(one, 'ok') === true ? pretty(at(one, 'result')) : `error: ${pretty(at(one, 'error'))}`,
  );
  const told = printableOn(process.stdout, lines.join('\n')) || 'There is no message to try it on.';
  process.stdout.write(everywhere.json ? `${text}\n` : `${told}\n`);
  return results.every((one) => at(one, 'ok') === true) ? 0 : 2;
}

function read(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch {
    throw new MillraceError('bad_request', `${file} cannot be read`, { remedy: 'Give the path of a readable file.' });
  }
}
