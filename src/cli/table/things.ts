/** Who has the say in a thing, and its end. */
import { MillraceError } from '../../model/errors.ts';
import { printableOn } from '../../model/printable.ts';
import { count } from '../../model/quantity.ts';
import type { Client } from '../client/client.ts';
import { isAgreed, now, remark, sleep } from '../terminal.ts';
import type { Group, OwnCommand, Running } from './command.ts';
import { readJson } from './json.ts';
import { at, textAt } from './tell.ts';

/** The paths of things by the words of `release`, and the parameter in them. */
const PLACES = {
  database: '/api/postgres_databases/:database',
  function: '/api/functions/:function',
  sink: '/api/sinks/:sink',
  change_retention: '/api/change_retentions/:sink',
};

export type ThingKind = keyof typeof PLACES;

const KINDS = Object.keys(PLACES) as ThingKind[];
const parameterOf = (kind: ThingKind): string => /:(\w+)/.exec(PLACES[kind])?.[1] ?? '';

const SAID = {
  release: 'is released: its entry in the file has no effect, and can be removed.',
  adopt: "is the file's again: its entry counts from the next apply on.",
};

const handing =
  (verb: keyof typeof SAID) =>
  async ({ client, everywhere, arguments: [word = '', name = ''] }: Running): Promise<number> => {
    const kind = KINDS.find((one) => one === word);
    if (kind === undefined) {
      const remedy = `Write one of ${KINDS.join(', ')} before the name.`;
      throw new MillraceError('bad_request', `${word} is not a kind of thing that a file declares`, { remedy });
    }
    const request = { route: `POST ${PLACES[kind]}/${verb}`, params: { [parameterOf(kind)]: name } };
    const { text } = await client.ask(request);
    process.stdout.write(everywhere.json ? `${text}\n` : `${name} ${SAID[verb]}\n`);
    return 0;
  };

export const RELEASE: Group = {
  commands: [
    {
      words: 'release <kind> <name>',
      about: 'release a thing from the file, whose entry then has no effect',
      asks: KINDS.map((kind) => `POST ${PLACES[kind]}/release`),
      examples: ['release sink orders-worker', 'release change_retention orders-history'],
      run: handing('release'),
    },
    {
      words: 'adopt <kind> <name>',
      about: 'return a released thing to the file',
      asks: KINDS.map((kind) => `POST ${PLACES[kind]}/adopt`),
      examples: ['adopt sink orders-worker'],
      run: handing('adopt'),
    },
  ],
};

/** What `removing` asks. */
export const removalsOf = (kind: ThingKind): string[] => [
  ...(kind === 'sink' ? ['sink', 'change_retention'] : [kind]).flatMap((one) => [
    `GET ${PLACES[one as ThingKind]}`,
    `DELETE ${PLACES[one as ThingKind]}`,
  ]),
  ...(kind === 'function' ? [`POST ${PLACES.function}/release`] : []),
];

/** Asks first; of what a file declares the file's entry is given up too. */
export const removing =
  (word: ThingKind): OwnCommand['run'] =>
  async (running) => {
    const { client, everywhere, person } = running;
    const { kind, thing } = await find(client, word, running.arguments[0] ?? '');
    const name = textAt(thing, 'name');
    const losing = losingText(thing);
    const said = kind.replace('_', ' ');
    const question = `Remove ${said} ${name}?${losing === '' ? '' : ` ${losing}.`} [y/N] `;
    const unasked = {
      message: `removing ${said} ${name} must be confirmed, and there is no terminal${losing === '' ? '' : `: ${losing}`}`,
      remedy: `bin/millrace ${kind === 'change_retention' ? 'retention' : kind} remove ${name} --yes`,
    };
    if (!everywhere.yes && !(await isAgreed(person, question, unasked))) {
      remark(running, 'Nothing was removed.');
      return 1;
    }
    const text = await removed(running, kind, thing);
    const answer = readJson(text);
    if (everywhere.json) person.say(text);
    else
      for (const line of removedLines(`${said} ${name}`, answer, kind)) person.say(printableOn(process.stdout, line));
    return 0;
  };

/** Of the sinks a change retention too. @throws MillraceError not_found */
async function find(client: Client, kind: ThingKind, name: string): Promise<{ kind: ThingKind; thing: unknown }> {
  const ask = async (of: ThingKind): Promise<{ kind: ThingKind; thing: unknown }> => {
    const { text } = await client.ask({ route: `GET ${PLACES[of]}`, params: { [parameterOf(of)]: name } });
    return { kind: of, thing: readJson(text) };
  };
  return await ask(kind).catch(async (error: unknown) => {
    if (kind !== 'sink' || !(error instanceof MillraceError) || error.code !== 'not_found') throw error;
    return await ask('change_retention').catch(() => {
      throw error;
    });
  });
}

/** Capture looks every 30 s whether somebody wants its changes. */
const LET_GO_MS = 60_000;
const LOOK_MS = 1_000;

/** The answer. @throws MillraceError */
async function removed({ client, person, everywhere }: Running, kind: ThingKind, thing: unknown): Promise<string> {
  const params = { [parameterOf(kind)]: textAt(thing, 'name') };
  const isOfFile = at(thing, 'managed_by') === 'file';
  const query = kind === 'function' ? {} : { force: 'true', ...(isOfFile ? { release: 'true' } : {}) };
  if (kind === 'function' && isOfFile) await client.ask({ route: `POST ${PLACES.function}/release`, params });
  const since = now();
  for (let isFirst = true; ; isFirst = false) {
    try {
      return (await client.ask({ route: `DELETE ${PLACES[kind]}`, params, query })).text;
    } catch (error) {
      const isRead = error instanceof MillraceError && error.code === 'unavailable' && 'slot' in error.facts;
      if (!isRead || now() - since > LET_GO_MS) throw error;
      if (isFirst && !everywhere.json && !everywhere.quiet)
        person.say('Capture still reads the slot: it lets it go within 30 s.');
      await sleep(LOOK_MS);
    }
  }
}

function losingText(thing: unknown): string {
  const [pending, parked] = [at(thing, 'state.pending'), at(thing, 'state.parked')];
  if (typeof pending === 'number') {
    return `${count(pending)} pending and ${count(Number(parked))} parked messages are thrown away`;
  }
  const made = [
    ['replication slot', 'slot'],
    ['publication', 'publication'],
  ].filter(([, key]) => at(thing, `${key}.create_if_not_exists`) === true);
  if (made.length === 0) return '';
  return `Its ${made.map(([what, key]) => `${what} ${textAt(thing, `${key}.name`)}`).join(' and its ')} are dropped`;
}

const LEFT = {
  database: 'Still in the source (a slot that nobody reads keeps WAL):',
  change_retention: 'Its change table stays as it is, until you drop it:',
};

function removedLines(what: string, answer: unknown, kind: ThingKind): string[] {
  const [left, warnings] = ['left', 'warnings'].map((key) => {
    const found = at(answer, key);
    return Array.isArray(found) ? found.map(String) : [];
  });
  const statements = (left ?? []).map((sql) => `  ${sql.replace(/;$/, '')};`);
  const head = kind === 'database' || kind === 'change_retention' ? LEFT[kind] : 'Left there:';
  return [`${what} is removed.`, ...(warnings ?? []), ...(statements.length === 0 ? [] : [head, ...statements])];
}
