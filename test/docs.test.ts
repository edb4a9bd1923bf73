/** The documentation against what it describes: every key, setting, view, function and link. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import '../src/catalog/declare/declaration.ts';
import { takenKeys } from '../src/catalog/declare/taken.ts';
import { readDefinitions } from '../src/db/definitions.ts';
import { allSections } from '../src/model/section.ts';
import { FOUND_BY } from '../src/notices/replace.ts';
import { blocksOf } from './support/pages.ts';

const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const PAGES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.md') && !/(^|\/)(node_modules|\.millrace|\.git)\//.test(file),
);

/** Text without code blocks; what stands in a block describes nothing. */
const prose = (text: string): string => text.replaceAll(/^ *```.*?^ *```$/gms, '');

/** The part of a page under a heading, its deeper headings included. */
function under(text: string, heading: string): string {
  const lines = prose(text).split('\n');
  const from = lines.indexOf(heading);
  if (from < 0) throw new Error(`there is no heading ${heading}`);
  const level = heading.indexOf(' ');
  const length = lines.slice(from + 1).findIndex((line) => /^#+ /.test(line) && line.indexOf(' ') <= level);
  return lines.slice(from, length < 0 ? undefined : from + 1 + length).join('\n');
}

/** Is the word in some `code` of the text? */
const names = (text: string, word: string): boolean =>
  (text.match(/`[^`\n]+`/g) ?? []).some((code) => new RegExp(`(?<![\\w])${word}(?![\\w])`).test(code));

/** Where docs/configuration.md describes the keys of a section. */
const HEADINGS: [RegExp, string][] = [
  [/^(the file|account)$/, '## Top level'],
  [/^api_tokens/, '## api_tokens'],
  [/^users/, '## users'],
  [/^databases/, '## databases'],
  [/^(functions|transforms)/, '## functions'],
  [/^filters/, '### Column filters'],
  [/^sinks\[\]\.destination \(pull\)/, '### destination: pull'],
  [/^sinks\[\]\.destination \(webhook\)/, '### destination: webhook'],
  [/^sinks\[\]\.destination \(search index\)/, '### destination: elasticsearch'],
  [/^sinks(?!\[\]\.destination \()/, '## sinks'],
  [/^http_endpoints/, '## http_endpoints'],
  [/^change_retentions/, '## change_retentions'],
];

/** As GitHub makes anchors of headings. */
const anchorsOf = (text: string): string[] =>
  [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );

/** Written by a command, and perhaps not there yet. */
const GENERATED: Record<string, string> = { 'bench/RESULTS.md': 'bench/run.ts' };

describe('the documentation', () => {
  it('has every key of millrace.yaml where it belongs', () => {
    const page = read('docs/configuration.md');
    const sections = allSections();
    expect(sections.length).to.be.greaterThan(15);
    const missing = sections.flatMap(({ title, keys }) => {
      const heading = HEADINGS.find(([pattern]) => pattern.test(title))?.[1];
      if (heading === undefined) return [`${title}: HEADINGS of test/docs.test.ts has no line for it`];
      return keys.filter((key) => !names(under(page, heading), key)).map((key) => `${title}: ${key}`);
    });
    expect(missing, 'docs/configuration.md does not name').to.deep.equal([]);
  });

  it('has every key that is refused by name', () => {
    const page = prose(read('docs/configuration.md'));
    const refused = allSections().flatMap((section) => section.refused);
    // Settings of other systems for a pull consumer stand in the page on moving from one.
    const elsewhere = prose(read('docs/pull-api.md'));
    expect(refused.filter((key) => !names(page, key) && !names(elsewhere, key))).to.deep.equal([]);
  });

  it('has every key that is taken without effect', () => {
    const page = under(read('docs/configuration.md'), '## A sequin.yaml');
    expect(takenKeys.filter((key) => !names(page, key))).to.deep.equal([]);
  });

  it('has every variable of the environment', () => {
    const page = read('docs/settings.md');
    const variables = [...read('src/runtime/settings.ts').matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(([, name]) => name!);
    expect(variables).to.include('DATABASE_URL');
    expect(variables.filter((name) => !names(page, name))).to.deep.equal([]);
  });

  it('has every view of schema millrace with its columns, and every function', () => {
    const page = read('docs/sql.md');
    const made = readDefinitions().flatMap(({ text }) => [
      ...text.matchAll(/^create or replace (view|function|procedure) millrace\.(\w+)/gm),
    ]);
    const objects = made.map(([, kind, name]) => ({ kind, name: name! }));
    expect(objects.map(({ name }) => name)).to.include.members(['sink_status', 'receive', 'accept_gap']);
    const unnamed = objects.filter(({ name }) => !names(prose(page), name)).map(({ name }) => name);
    expect(unnamed, 'docs/sql.md does not name').to.deep.equal([]);

    const views = [...read('test/schema.sql').matchAll(/^view millrace\.(\w+)\n((?: {2}\w.*\n)+)/gm)];
    const columns = views.flatMap(([, view, lines]) =>
      [...lines!.matchAll(/^ {2}(\w+) /gm)].map(([, column]) => ({ view: view!, column: column! })),
    );
    expect(columns.length).to.be.greaterThan(40);
    const missing = columns.filter(({ view, column }) => {
      // parked_messages says: the same columns, and its own.
      const parts = view === 'parked_messages' ? ['## parked_messages', '## pending_messages'] : [`## ${view}`];
      return !parts.some((heading) => names(under(page, heading), column));
    });
    const nowhere = missing.map(({ view, column }) => `${view}.${column}`);
    expect(nowhere, 'docs/sql.md does not name, below its view').to.deep.equal([]);
  });

  it('has every code of a notice', () => {
    const rows = under(read('docs/operations.md'), '### Notices');
    const happened = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => read(`src/${file}`))
      .filter((text) => text.includes("/notices/add.ts'"))
      .flatMap((text) => [...text.matchAll(/\bcode: ('\w+'(?: \| '\w+')*)/g)])
      .flatMap(([, codes]) => codes!.match(/\w+/g) ?? []);
    expect(happened).to.include.members(['destination_gone', 'invalid_utf8']);
    const codes = new Set([...Object.values(FOUND_BY).flat(), ...happened]);
    const missing = [...codes].filter((code) => !rows.includes(`\n| \`${code}\` | `));
    expect(missing, 'the table under Notices in docs/operations.md has no row for').to.deep.equal([]);
  });

  it('and every printed remedy write the command in one way, which works in a clone as it stands', () => {
    const verbs =
      'start|migrate|sql|verify|backfills?|replay|rebuild|resync|retentions?|operations?|pending|parked|sinks?|databases?|secret|change-table';
    const other = new RegExp(
      `(?<![\\w/.-])millrace (?:${verbs})\\b|npm run [^\`\\n]*\\b(?:millrace|sql) |node src/(?:cli|main)`,
    );
    const sources = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `src/${file}`);
    const wrong = [...PAGES, 'millrace.yaml.example', 'Procfile', 'app.json', ...sources].flatMap((file) =>
      read(file)
        .split('\n')
        // Comments speak of the command `millrace`; names of sessions are no commands.
        .filter((line) => !file.endsWith('.ts') || !/^\s*(\/?\*|\/\/)|application/i.test(line))
        .filter((line) => other.test(line))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('says with each body that curl sends that it is JSON, which nothing else is taken for', () => {
    const sent = PAGES.flatMap((page) =>
      blocksOf(page).flatMap(({ text }) => text.replaceAll('\\\n', '').match(/^curl .* (?:-d|--data) .*$/gm) ?? []),
    );
    expect(sent.length).to.be.greaterThan(5);
    expect(sent.filter((line) => !line.includes('Content-Type: application/json'))).to.deep.equal([]);
  });

  it('has no link that leads nowhere', () => {
    const broken: string[] = [];
    let links = 0;
    for (const page of PAGES) {
      for (const [, target] of prose(read(page)).matchAll(/\]\(([^)\s]+)\)/g)) {
        if (/^[a-z]+:/.test(target!)) continue;
        links += 1;
        const [file = '', anchor] = target!.split('#');
        const at = file === '' ? page : path.join(path.dirname(page), file);
        const maker = GENERATED[at];
        const there =
          existsSync(path.join(ROOT, at)) || (maker !== undefined && read(maker).includes(path.basename(at)));
        if (!there) broken.push(`${page}: ${target}`);
        else if (anchor !== undefined && !anchorsOf(read(at)).includes(anchor)) broken.push(`${page}: ${target}`);
      }
    }
    expect(links).to.be.greaterThan(40);
    expect(broken).to.deep.equal([]);
  });

  it('has no mark of a merge that was left half done', () => {
    expect(PAGES.filter((page) => /^(<{7}|>{7}) /m.test(read(page)))).to.deep.equal([]);
  });

  for (const page of ['ARCHITECTURE.md', 'CONTRIBUTING.md']) {
    it(`names no file in ${page} that is not there`, () => {
      const named = prose(read(page)).match(/(?<=`)(?:[\w-]+\/)+(?:[\w.-]+\.(?:ts|sql))?(?=`)/g) ?? [];
      const isThere = (file: string): boolean =>
        ['', 'src', 'sql/schema'].some((folder) => existsSync(path.join(ROOT, folder, file)));
      expect(named.length).to.be.greaterThan(5);
      expect(named.filter((file) => !isThere(file))).to.deep.equal([]);
    });
  }
});
