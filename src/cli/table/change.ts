/** Commands that make, edit, test and remove a thing: from an entry of millrace.yaml in a file, or in an editor. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { entryText, parseEntry, readEntry } from '../../catalog/declare/entry-text.ts';
import { MillraceError } from '../../model/errors.ts';
import { quoteShell } from '../../model/quote.ts';
import { removing } from '../remote/things.ts';
import { PLACE } from '../terminal.ts';
import type { OwnCommand, RouteCommand, Running } from './command.ts';
import { Digits, readJson } from './json.ts';
import { at, tellRows, textAt } from './tell.ts';

export interface Thing {
  kind: 'sink' | 'change_retention' | 'database' | 'function';
  /** On the command line. */
  word: string;
  /** Of its routes, and the parameter in them. */
  path: string;
  parameter: string;
  /** Of millrace.yaml. */
  list: string;
  example: string;
}

const FILE = { flags: '-f, --file <file>', about: 'one entry of millrace.yaml; - is the standard input' };
const NO_TEST = { flags: '--no-test', about: 'make it without a test of its connection' };

/** What is shown of a thing and is no key of its entry. */
const SHOWN = [
  ...['id', 'health', 'state', 'managed_by', 'declared_from', 'status_by', 'version', 'inserted_at', 'updated_at'],
  ...['updated_by', 'active_backfills', 'used_by', 'warnings', 'replication_slots', 'kind'],
];

function told({ everywhere }: Running, text: string, said: (name: string) => string): void {
  const answer = readJson(text);
  process.stdout.write(everywhere.json ? `${text}\n` : `${said(textAt(answer, 'name'))}\n`);
  const warnings = at(answer, 'warnings');
  for (const warning of Array.isArray(warnings) ? warnings : []) process.stderr.write(`Warning: ${String(warning)}\n`);
}

const creating = (thing: Thing, isTested: boolean): OwnCommand['run'] =>
  async function create(running) {
    const { client, options } = running;
    const isInFile = typeof options.file === 'string';
    const entry = isInFile ? { body: readEntry(PLACE.env, String(options.file), thing.list) } : edited(thing, '');
    if (entry === undefined) return unchanged();
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
      const body = readEntry(PLACE.env, options.file, thing.list);
      const { text } = await client.ask({ ...asked, body });
      told(running, text, (found) => `${thing.word} ${found} is changed.`);
      return 0;
    }
    const shown = await client.ask({ route: `GET ${thing.path}/:${thing.parameter}`, params: asked.params });
    const before = Object.fromEntries(
      Object.entries(Object(readJson(shown.text))).filter(([key]) => !SHOWN.includes(key)),
    );
    const entry = edited(thing, entryText(plain(before)));
    if (entry === undefined) return unchanged();
    // What was taken out gets its default.
    const gone = Object.keys(before).filter((key) => before[key] !== undefined && !Object.hasOwn(entry.body, key));
    const body = { ...Object.fromEntries(gone.map((key) => [key, null])), ...entry.body };
    const { text } = await kept(entry, () => client.ask({ ...asked, body, ifMatch: shown.etag }));
    told(running, text, (found) => `${thing.word} ${found} is changed.`);
    return 0;
  };

function unchanged(): number {
  process.stdout.write('Nothing was changed.\n');
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
function edited({ word, list }: Thing, before: string): Edited | undefined {
  const editor = PLACE.env.VISUAL || PLACE.env.EDITOR;
  if (!editor) {
    throw new MillraceError('bad_request', 'there is neither a file nor an editor', {
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
      return { body: parseEntry(after, list), file };
    } catch (error) {
      sayKept(file);
      throw error;
    }
  }
  rmSync(folder, { recursive: true, force: true });
  return undefined;
}

/** `test`: of what is stored. Sinks and databases that exist remove themselves: their command is older. */
export function changesOf(thing: Thing, options: { tested: boolean; removed: boolean }): (OwnCommand | RouteCommand)[] {
  const { word, path: place, parameter, example, list } = thing;
  const create: OwnCommand = {
    words: 'create',
    about: `make a ${word} from an entry of \`${list}:\`, in a file or in EDITOR`,
    flags: options.tested ? [FILE, NO_TEST] : [FILE],
    examples: [`create -f ${example}.yaml`],
    run: creating(thing, options.tested),
  };
  const edit: OwnCommand = {
    words: `edit <${word}>`,
    about: `change a ${word}: by the keys of a file, or in EDITOR, where another change meanwhile is refused`,
    flags: [FILE],
    examples: [`edit ${example}`, `edit ${example} -f changes.yaml`],
    run: editing(thing),
  };
  const remove: OwnCommand = {
    words: `remove <${word}>`,
    about: `remove a ${word}; asks first`,
    examples: [`remove ${example}`],
    run: removing(thing.kind),
  };
  const test: RouteCommand = {
    words: `test <${word}>`,
    about: `connect to where a ${word} ${thing.kind === 'database' ? 'is' : 'delivers to'}, and check it; nothing is changed`,
    route: `POST ${place}/:${parameter}/test_connection`,
    examples: [`test ${example}`],
    tell: (answer) => {
      const checks = at(answer, 'checks');
      return tellRows(Array.isArray(checks) ? checks : [], {
        status: 'status',
        id: 'id',
        '': 'summary',
        remedy: 'remedy',
      });
    },
  };
  return [create, edit, ...(options.removed ? [remove] : []), ...(options.tested ? [test] : [])];
}
