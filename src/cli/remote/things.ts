/** The doctor, who has the say in a thing, and its end, over HTTP. */
import type { Examination } from '../../admin/doctor/examine.ts';
import { MillraceError } from '../../model/errors.ts';
import type { Running } from '../table/command.ts';
import { readJson } from '../table/json.ts';
import { at, textAt } from '../table/tell.ts';
import { tellExamination, tellSql } from '../tell-examination.ts';
import { isAgreed, person } from '../terminal.ts';

const WRONG = 2;

export async function doctor({ client, everywhere, options }: Running): Promise<number> {
  const { database, sink, sql, strict } = options;
  const query = {
    ...(typeof database === 'string' ? { database } : {}),
    ...(typeof sink === 'string' ? { sink } : {}),
  };
  const { text } = await client.ask({ route: 'GET /api/doctor', query });
  const found: Examination = Object(readJson(text));
  process.stdout.write(everywhere.json ? `${text}\n` : sql === true ? tellSql(found) : tellExamination(found));
  const isWarned = strict === true && found.checks.some(({ status }) => status === 'warning');
  return found.ok && !isWarned ? 0 : WRONG;
}

/** The paths of things by the words of `release`, and the parameter in them. */
const PLACES: Record<string, string> = {
  database: '/api/postgres_databases/:database',
  function: '/api/functions/:function',
  sink: '/api/sinks/:sink',
  change_retention: '/api/change_retentions/:sink',
};

const SAID = {
  release: 'is released: its entry in the file has no effect, and can be removed.',
  adopt: "is the file's again: its entry counts from the next apply on.",
};

export const handing =
  (verb: 'release' | 'adopt') =>
  async ({ client, everywhere, arguments: [kind = '', name = ''] }: Running): Promise<number> => {
    const path = PLACES[kind] ?? '';
    const parameter = /:(\w+)/.exec(path)?.[1] ?? '';
    const { text } = await client.ask({ route: `POST ${path}/${verb}`, params: { [parameter]: name } });
    process.stdout.write(everywhere.json ? `${text}\n` : `${name} ${SAID[verb]}\n`);
    return 0;
  };

/** Asks first; of what a file declares the file's entry is given up too. */
export const removing =
  (kind: 'sink' | 'change_retention' | 'database' | 'function') =>
  async ({ client, everywhere, arguments: [name = ''] }: Running): Promise<number> => {
    const path = PLACES[kind] ?? '';
    const params = { [/:(\w+)/.exec(path)?.[1] ?? '']: name };
    const thing = readJson((await client.ask({ route: `GET ${path}`, params })).text);
    const losing = losingText(thing);
    const said = kind.replace('_', ' ');
    const unasked = {
      message: `nobody can be asked whether ${said} ${name} may go${losing === '' ? '' : `: ${losing}`}`,
      remedy: `bin/millrace ${kind === 'change_retention' ? 'retention' : kind} remove ${name} --yes`,
    };
    const question = `Remove ${said} ${name}?${losing === '' ? '' : ` ${losing}.`} [y/N] `;
    if (!everywhere.yes && !(await isAgreed(person(), question, unasked))) {
      process.stdout.write('Nothing was removed.\n');
      return 1;
    }
    const isOfFile = at(thing, 'managed_by') === 'file';
    const query = kind === 'function' ? {} : { force: 'true', ...(isOfFile ? { release: 'true' } : {}) };
    if (kind === 'function' && isOfFile) await client.ask({ route: `POST ${path}/release`, params });
    const { text } = await client.ask({ route: `DELETE ${path}`, params, query });
    if (everywhere.json) process.stdout.write(`${text}\n`);
    else process.stdout.write(removedText(`${said} ${name}`, { isOfFile, left: at(readJson(text), 'left') }));
    return 0;
  };

function losingText(thing: unknown): string {
  const [pending, parked] = [at(thing, 'state.pending'), at(thing, 'state.parked')];
  return typeof pending === 'number'
    ? `${textAt(thing, 'state.pending')} pending and ${String(parked)} parked messages are thrown away`
    : '';
}

function removedText(what: string, { isOfFile, left }: { isOfFile: boolean; left: unknown }): string {
  const statements = Array.isArray(left) ? left : [];
  const lines = [
    `${what} is removed.`,
    ...(isOfFile ? ['Remove its entry from millrace.yaml too: it would be skipped, with a warning.'] : []),
    ...(statements.length === 0 ? [] : ['Still in the source (a slot that nobody reads keeps WAL):']),
    ...statements.map((sql) => `  ${String(sql).replace(/;$/, '')};`),
  ];
  return `${lines.join('\n')}\n`;
}

/** What no route does. */
export const notOverHttp = (words: string): MillraceError =>
  new MillraceError('bad_request', `\`${words}\` is not done over HTTP`, {
    remedy: 'Run it with DATABASE_URL (and SECRET_KEY), and without --url.',
  });
