/** Commands that make, edit, test and remove a thing: from an entry of millrace.yaml in a file, or in an editor. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { MillraceError } from '../../model/errors.ts';
import { printableOn } from '../../model/printable.ts';
import { quoteShell } from '../../model/quote.ts';
import { PLACE, remark } from '../terminal.ts';
import type { OwnCommand, Running } from './command.ts';
import { Digits, readJson } from './json.ts';
import { at, tellRows, textAt } from './tell.ts';
import { removalsOf, removing, type ThingKind } from './things.ts';

export interface Thing {
  kind: ThingKind;
  /** On the command line. */
  word: string;
  /** Of its routes, and the parameter in them. */
  path: string;
  parameter: string;
  /** Of millrace.yaml. */
  list: string;
  example: string;
}

export const FILE = {
  flags: '-f, --file <file>',
  about: 'a file with one entry of millrace.yaml; - for the standard input',
};
const NO_TEST = { flags: '--no-test', about: 'create it without testing its connection' };

/** Loaded when there is an entry: it reads YAML. */
const entries = async () => await import('../../catalog/declare/entry-text.ts');

/** What is shown of a thing and is no key of its entry. */
const SHOWN = [
  ...[
    'id',
    'health',
    'state',
    'managed_by',
    'declared_from',
    'status_by',
    'status_reason',
    'version',
    'inserted_at',
    'updated_at',
  ],
  ...[
    'entry_name',
    'updated_by',
    'active_backfills',
    'used_by',
    'warnings',
    'replication_slots',
    'kind',
    'readers',
    'waiting_receives',
  ],
];

function told({ everywhere }: Running, text: string, said: (name: string) => string): void {
  const answer = readJson(text);
  process.stdout.write(everywhere.json ? `${text}\n` : `${said(textAt(answer, 'name'))}\n`);
  const warnings = at(answer, 'warnings');
  warn(Array.isArray(warnings) ? warnings : []);
}

function warn(warnings: readonly unknown[]): void {
  for (const warning of warnings)
    process.stderr.write(`${printableOn(process.stderr, `Warning: ${String(warning)}`)}\n`);
}

const creating = (thing: Thing, isTested: boolean): OwnCommand['run'] =>
  async function create(running) {
    const { client, options } = running;
    const isInFile = typeof options.file === 'string';
    const entry = isInFile ? { body: await read(String(options.file), thing) } : await edited(thing, '');
    if (entry === undefined) return unchanged(running);
    const query = isTested && options.test === false ? { test: 'false' } : {};
    const request = { route: `POST ${thing.path}`, query, body: entry.body };
    const { text } = await kept(entry, () => client.ask(request));
    told(running, text, (name) => `${thing.word} ${name} is made.`);
    return 0;
  };

const editing = (thing: Thing): OwnCommand['run'] =>
  async function edit(running) {
    const { client, options } = running;
    const [name = ''] = running.arguments;
    const asked = { route: `PUT ${thing.path}/:${thing.parameter}`, params: { [thing.parameter]: name } };
    if (typeof options.file === 'string') {
      const body = await read(options.file, thing);
      const { text } = await client.ask({ ...asked, body });
      told(running, text, (found) => `${thing.word} ${found} is changed.`);
      return 0;
    }
    const shown = await client.ask({ route: `GET ${thing.path}/:${thing.parameter}`, params: asked.params });
    const before = Object.fromEntries(
      Object.entries(Object(readJson(shown.text))).filter(([key]) => !SHOWN.includes(key)),
    );
    const entry = await edited(thing, (await entries()).entryText(plain(before)));
    if (entry === undefined) return unchanged(running);
    // What was taken out gets its default.
    const gone = Object.keys(before).filter((key) => before[key] !== undefined && !Object.hasOwn(entry.body, key));
    const body = { ...Object.fromEntries(gone.map((key) => [key, null])), ...entry.body };
    const { text } = await kept(entry, () => client.ask({ ...asked, body, ifMatch: shown.etag }));
    told(running, text, (found) => `${thing.word} ${found} is changed.`);
    return 0;
  };

/** What is to be looked at: as it is stored, as a file would change it, or of a file alone. @throws MillraceError */
async function looking(thing: Thing, verb: string, { options, arguments: [name] }: Running) {
  const { path: place, parameter, word } = thing;
  if (name === undefined && options.file === undefined) {
    throw new MillraceError('bad_request', `name a ${word}, or give an entry with -f FILE`);
  }
  const body = options.file === undefined ? {} : await read(String(options.file), thing);
  if (name === undefined) return { route: `POST ${place}/${verb}`, body };
  return { route: `POST ${place}/:${parameter}/${verb}`, params: { [parameter]: name }, body };
}

const testing = (thing: Thing): OwnCommand['run'] =>
  async function test(running) {
    const { text } = await running.client.ask(await looking(thing, 'test_connection', running));
    const checks = at(readJson(text), 'checks');
    const columns = { status: 'status', id: 'id', '': 'summary', remedy: 'remedy' };
    process.stdout.write(
      running.everywhere.json ? `${text}\n` : tellRows(Array.isArray(checks) ? checks : [], columns),
    );
    return 0;
  };

/** Something differs. */
const DIFFERS = 2;

const planning = (thing: Thing): OwnCommand['run'] =>
  async function plan(running) {
    const { client, everywhere, arguments: words } = running;
    const { text } = await client.ask(await looking(thing, 'plan', running));
    const answer = readJson(text);
    const [diff, warnings] = [at(answer, 'diff'), at(answer, 'warnings')].map((found) =>
      Array.isArray(found) ? found : [],
    );
    const name = words[0];
    const changes = (diff ?? []).map(
      (one) => `    ${textAt(one, 'path')}: ${shownOf(one, 'old')} -> ${shownOf(one, 'new')}\n`,
    );
    const said = name === undefined ? textAt(answer, 'yaml') : changes.join('') || 'No changes.\n';
    process.stdout.write(everywhere.json ? `${text}\n` : printableOn(process.stdout, said));
    warn(warnings ?? []);
    return name !== undefined && changes.length > 0 ? DIFFERS : 0;
  };

const shownOf = (one: unknown, key: string): string => textAt(one, key) || '(none)';

const read = async (file: string, { list }: Thing): Promise<Record<string, unknown>> =>
  (await entries()).readEntry(PLACE.env, file, list);

function unchanged(running: Running): number {
  remark(running, 'Nothing was changed.');
  return 0;
}

/** Numbers of settings fit a double. */
const plain = (value: object): object =>
  JSON.parse(JSON.stringify(value, (_, one) => (one instanceof Digits ? Number(one.text) : one)));

interface Edited {
  body: Record<string, unknown>;
  /** What was typed; absent: a file of the user's. */
  file?: string;
}

/** What somebody typed is not lost when it is refused. */
async function kept<Result>({ file }: Edited, work: () => Promise<Result>): Promise<Result> {
  try {
    const result = await work();
    if (file !== undefined) rmSync(path.dirname(file), { recursive: true, force: true });
    return result;
  } catch (error) {
    if (file !== undefined) sayKept(file);
    throw error;
  }
}

const sayKept = (file: string): void => void process.stderr.write(`Your text is kept: -f ${quoteShell(file)}\n`);

/** Undefined: it was left as it was. @throws MillraceError bad_configuration */
async function edited({ word, list }: Thing, before: string): Promise<Edited | undefined> {
  const editor = PLACE.env.VISUAL || PLACE.env.EDITOR;
  if (!editor) {
    throw new MillraceError('bad_request', 'neither a file nor an editor was given', {
      remedy: 'Give one entry of millrace.yaml with -f FILE, or set EDITOR.',
    });
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'millrace-'));
  const file = path.join(folder, `${word}.yaml`);
  const head = `# An entry of \`${list}:\`, as in docs/configuration.md. Secrets are shown as ********, which keeps them.\n`;
  writeFileSync(file, head + before, { mode: 0o600 });
  const { status, error } = spawnSync('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  if (error || status !== 0)
    throw new MillraceError('bad_request', `the editor ended with ${error?.message ?? status}`);
  const after = readFileSync(file, 'utf8');
  if (after !== head + before) {
    try {
      return { body: (await entries()).parseEntry(after, list), file };
    } catch (error) {
      sayKept(file);
      throw error;
    }
  }
  rmSync(folder, { recursive: true, force: true });
  return undefined;
}

/** Functions connect to nothing that could be tested. */
export function changesOf(thing: Thing): OwnCommand[] {
  const { kind, word, path: place, parameter, example, list } = thing;
  const isTested = kind !== 'function';
  const one = `${place}/:${parameter}`;
  const create: OwnCommand = {
    words: 'create',
    about: `create a ${word} from an entry of \`${list}:\`, in a file or in EDITOR`,
    flags: isTested ? [FILE, NO_TEST] : [FILE],
    asks: [`POST ${place}`],
    examples: [`create -f ${example}.yaml`],
    run: creating(thing, isTested),
  };
  const edit: OwnCommand = {
    words: `edit <${word}>`,
    about: `change a ${word}, by the keys of a file or in EDITOR; refused if somebody else changes it meanwhile`,
    flags: [FILE],
    asks: [`GET ${one}`, `PUT ${one}`],
    examples: [`edit ${example}`, `edit ${example} -f changes.yaml`],
    run: editing(thing),
  };
  const remove: OwnCommand = {
    words: `remove <${word}>`,
    about: `remove a ${word}${REMOVED[kind]}; asks first`,
    asks: removalsOf(kind),
    examples: [`remove ${example}`],
    run: removing(kind),
  };
  const test: OwnCommand = {
    words: `test [${word}]`,
    about: `connect to ${kind === 'database' ? 'a database' : `the destination of a ${word}`} and check it, as stored or (-f) as in a file; changes nothing`,
    flags: [FILE],
    asks: [`POST ${one}/test_connection`, `POST ${place}/test_connection`],
    examples: [`test ${example}`, `test -f ${example}.yaml`, `test ${example} -f changes.yaml`],
    run: testing(thing),
  };
  const plan: OwnCommand = {
    words: `plan [${word}]`,
    about: `show what a file would change in a ${word}, or the entry of a new one; changes nothing; exit code 2 if anything would change`,
    flags: [{ ...FILE, required: true }],
    asks: [`POST ${one}/plan`, `POST ${place}/plan`],
    examples: [`plan ${example} -f changes.yaml`, `plan -f ${example}.yaml`],
    run: planning(thing),
  };
  const isPlanned = kind === 'sink' || kind === 'change_retention';
  return [create, edit, remove, ...(isPlanned ? [plan] : []), ...(isTested ? [test] : [])];
}

const REMOVED = {
  sink: ' with its messages',
  change_retention: ' with its messages; the change table stays',
  database: ' that no sink uses, with the slot and the publication that Millrace made in it',
  function: ' that no sink uses',
};
