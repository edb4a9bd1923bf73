/** The commands as a whole: each asks a route that is there, with what it takes; each example can be typed; docs/cli.md lists all. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { Command } from 'commander';
import { z } from 'zod';
import { ROUTES } from '../../src/api/routes.ts';
import { addCommands } from '../../src/cli/commands.ts';
import { addEverywhere } from '../../src/cli/everywhere.ts';
import { type RouteCommand, requestOf } from '../../src/cli/table/command.ts';
import { GROUPS } from '../../src/cli/table/groups.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const PAGE = path.join(ROOT, 'docs/cli.md');

const ASKING = GROUPS.flatMap(({ name, commands }) =>
  commands.flatMap((command) => ('route' in command ? [{ name: `${name ?? ''} ${command.words}`, command }] : [])),
);

/** Routes that no command asks, by the reason. */
const WITHOUT_COMMAND: Record<string, string[]> = {
  'PUT does the same': [
    ...['sinks/:sink', 'change_retentions/:sink', 'postgres_databases/:database', 'functions/:function'],
  ].map((thing) => `PATCH /api/${thing}`),
  'the same with a list of ids': ['sinks', 'change_retentions'].flatMap((things) =>
    ['retry', 'discard'].map((verb) => `POST /api/${things}/:sink/messages/:id/${verb}`),
  ),
  'for clients of Sequin; /api/operations has them all': [
    ...['GET /api/sinks/:sink/backfills', 'GET /api/sinks/:sink/backfills/:id'],
    ...['PATCH /api/sinks/:sink/backfills/:id', 'PUT /api/sinks/:sink/backfills/:id'],
  ],
  'the list has all of it': ['GET /api/api_keys/:id', 'GET /api/users/:id'],
  'for tools of Sequin: they are empty': ['GET /api/destinations/http_endpoints', 'GET /api/local_tunnels'],
  'for browsers: what it answers is a cookie': ['POST /api/setup', 'POST /api/sessions'],
  'whoever has a shell there sees the environment': ['GET /api/settings'],
};

function program(): Command {
  const made = new Command('millrace');
  addEverywhere(made);
  addCommands(made);
  return made;
}

/** Those that do something, with their words. */
function leaves(command: Command, words: string[] = []): { command: Command; words: string[] }[] {
  if (command.commands.length === 0) return [{ command, words }];
  return command.commands.flatMap((one) => leaves(one, [...words, one.name()]));
}

const usage = ({ command, words }: { command: Command; words: string[] }): string =>
  [
    'bin/millrace',
    ...words,
    ...command.registeredArguments.map((one) => {
      const name = `${one.name().toUpperCase()}${one.variadic ? '...' : ''}`;
      return one.required ? name : `[${name}]`;
    }),
  ].join(' ');

const keysOf = (schema: z.ZodType | undefined): string[] => {
  if (schema === undefined) return [];
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.keys(properties);
};

function fieldsOf(command: RouteCommand): string[] {
  return [...(command.fields ?? []).map(({ field }) => field), ...Object.keys(command.fixed ?? {})];
}

/** Every text that tells somebody to type a command. */
function pagesAndSources(): string[] {
  const of = (folder: string, ends: RegExp): string[] =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => ends.test(file))
      .map((file) => path.join(folder, file));
  return [...of('docs', /\.md$/), ...of('src', /\.tsx?$/), ...of('sql', /\.sql$/), 'README.md', 'app.json', 'Procfile'];
}

/** What is wrong with the words of a command, as far as they are those of a command and not placeholders; undefined: nothing. */
function faultOf(words: readonly string[]): string | undefined {
  let at = program();
  at.command('start');
  at.command('migrate');
  for (const word of words) {
    const found = at.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (found === undefined) {
      if (at.commands.length > 0 && /^[a-z][a-z-]*$/.test(word)) return `there is no word ${word} in ${at.name()}`;
      break;
    }
    at = found;
  }
  const known = [...at.options, ...(at.parent?.options ?? []), ...(at.parent?.parent?.options ?? [])];
  const list = at.commands.find((one) => one.name() === 'list');
  const flags = [...known, ...(list?.options ?? [])].flatMap(({ long, short }) => [long, short]);
  const isKnown = (word: string): boolean => [...flags, '--help'].includes(word.replace(/[=.,:\\].*/, ''));
  return words.find((word) => /^--?[a-z]/.test(word) && !isKnown(word));
}

describe('cli: commands', () => {
  for (const { name, command } of ASKING) {
    it(`${name.trim()} asks a route that is there, with what it takes`, () => {
      const route = ROUTES.find(({ method, path: at }) => `${method} ${at}` === command.route);
      expect(route, command.route).to.not.equal(undefined);
      const wanted = [...command.words.matchAll(/<(\w+)>/g)].map(([, word]) => word!);
      const { params = {} } = requestOf(command, { arguments: wanted, options: {} });
      expect(Object.values(params)).to.deep.equal(wanted);
      const isRead = route!.method === 'GET' || route!.method === 'DELETE';
      expect(keysOf(isRead ? route!.input : route!.body)).to.include.members(fieldsOf(command));
      expect(command.isOpen ?? false, 'isOpen').to.equal(route!.scope === 'none');
    });
  }

  it('say when a slot is lost', () => {
    const { tell } = ASKING.find(({ name }) => name === 'database metrics <database>')!.command;
    const given = { arguments: ['shop'], options: {} };
    const point = {
      at: '2026-01-01T00:00:00Z',
      commits: 2,
      persisted: 3,
      bytes: 9,
      lag_bytes: 1,
      kept_bytes: 2,
      limit_bytes: 3,
    };
    expect(tell({ points: [point], seconds_to_limit: 7_260 }, given)).to.match(
      / 3\n.*\nthe slot is lost in 2 h 1 min if/,
    );
    expect(tell({ points: [point], seconds_to_limit: null }, given)).to.not.contain('lost');
  });

  it('ask each route that is there, but for those of which it is said why not, and no other', () => {
    const asked = GROUPS.flatMap(({ commands }) =>
      commands.flatMap((command) => ('route' in command ? [command.route] : command.asks)),
    );
    const known = ROUTES.map(({ method, path: at }) => `${method} ${at}`);
    const unknown = asked.filter((route) => !known.includes(route) && !/ \/api\/http_pull_consumers\//.test(route));
    expect(unknown).to.deep.equal([]);
    const reasons = Object.values(WITHOUT_COMMAND).flat();
    expect(reasons.filter((route) => !known.includes(route) || asked.includes(route))).to.deep.equal([]);
    const missing = known.filter((route) => !asked.includes(route) && !reasons.includes(route));
    expect(missing, 'make a command of src/cli/table that asks it').to.deep.equal([]);
  });

  it('have examples that can be typed as they stand', async () => {
    let found = 0;
    for (const { command } of leaves(program())) {
      let text = '';
      command.configureOutput({ writeOut: (part) => (text += part) });
      command.outputHelp();
      for (const [, example] of text.matchAll(/^ {2}bin\/millrace (.*)$/gm)) {
        found += 1;
        const typed = program();
        let ran: Command | undefined;
        for (const leaf of leaves(typed)) {
          leaf.command.exitOverride().configureOutput({ writeErr: () => undefined });
          leaf.command.action(function run(this: Command) {
            ran = this;
          });
        }
        const words = example!.replace(/ [>|].*$/, '').match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
        await typed.parseAsync(
          words.map((word) => word.replace(/^(['"])(.*)\1$/, '$2')),
          { from: 'user' },
        );
        expect(ran?.name(), example).to.equal(command.name());
      }
    }
    expect(found).to.be.greaterThan(20);
  });

  it('are there, with the options that texts, remedies and statements name', () => {
    const wrong: string[] = [];
    let found = 0;
    for (const file of pagesAndSources()) {
      const text = readFileSync(path.join(ROOT, file), 'utf8');
      for (const [, line] of text.matchAll(/bin\/millrace ([a-z][^`'"\n|)(<>;]*)/g)) {
        // A sentence goes on behind it.
        const words = line!
          .split(/[.,:]? (?=[A-Z]\w*[a-z]| )|[.,:]$/)[0]!
          .trim()
          .split(/\s+/);
        found += 1;
        const fault = faultOf(words);
        if (fault !== undefined) wrong.push(`${file}: ${words.join(' ')}: ${fault}`);
      }
      for (const [, list] of text.matchAll(/\bmillrace\(('[a-z][^)]*)\)/g)) {
        const words = list!.split(/, */).flatMap((word) => /^'([^']*)'$/.exec(word)?.[1] ?? 'NAME');
        found += 1;
        const fault = faultOf(words);
        if (fault !== undefined) wrong.push(`${file}: ${words.join(' ')}: ${fault}`);
      }
    }
    expect(found).to.be.greaterThan(200);
    expect(wrong).to.deep.equal([]);
  });

  it('stand in docs/cli.md, each with its line', () => {
    const rows = leaves(program()).map((leaf) => `| \`${usage(leaf)}\` | ${leaf.command.description()} |`);
    const page = readFileSync(PAGE, 'utf8');
    const [before, rest = ''] = page.split('<!-- commands -->\n');
    const [, after = ''] = rest.split('<!-- /commands -->');
    const wanted = `${before}<!-- commands -->\n| command | |\n|---|---|\n${rows.join('\n')}\n<!-- /commands -->${after}`;
    if (process.env.MILLRACE_WRITE_CLI_PAGE === '1') writeFileSync(PAGE, wanted);
    else expect(page, 'write it again: MILLRACE_WRITE_CLI_PAGE=1 npx mocha test/cli/commands.test.ts').to.equal(wanted);
  });
});
