/** One entry of millrace.yaml by itself: read from a file, or written for somebody to edit. */
import path from 'node:path';
import { type Fault, MillraceError } from '../../model/errors.ts';
import { fieldOf } from '../../model/finding.ts';
import { isKey } from '../../model/section.ts';
import { readDocument } from './document.ts';
import { folderOf, readNamed, readTyped } from './typed-file.ts';
import { yamlText } from './yaml-text.ts';

/**
 * Variables are replaced, and a `file:` of a function is read. `list`: as the list of a file, with one entry, it may stand there
 * too. @throws MillraceError bad_configuration
 */
export function readEntry(env: NodeJS.ProcessEnv, file: string, list: string): Record<string, unknown> {
  return entryOf(env, { text: readTyped(file), list, folder: folderOf(file) });
}

/** As `readEntry`, of a text in which nothing is replaced. */
export const parseEntry = (text: string, list: string): Record<string, unknown> =>
  entryOf(null, { text, list, folder: '.' });

interface EntryText {
  text: string;
  list: string;
  folder: string;
}

function entryOf(env: NodeJS.ProcessEnv | null, { text, list, folder }: EntryText): Record<string, unknown> {
  const document = readDocument(text, env, { isCode: (at) => at.at(-1) === 'code', isKey });
  const value = document.value();
  const faults: Fault[] = [...document.syntax, ...document.findings].map((found) => ({
    ...{ field: fieldOf(found.path) || 'entry', message: found.message, remedy: found.remedy },
    ...('place' in found ? Object(found.place) : document.locate(found.path)),
  }));
  if (faults.length > 0) throw new MillraceError('bad_configuration', 'the entry cannot be read', { faults });
  const listed = typeof value === 'object' && value !== null ? Reflect.get(value, list) : undefined;
  const entry: unknown = Array.isArray(value) ? value[0] : Array.isArray(listed) ? listed[0] : value;
  const many = Array.isArray(value) ? value : Array.isArray(listed) ? listed : [value];
  if (typeof entry !== 'object' || entry === null || many.length !== 1) {
    const remedy = `Write the keys of one entry of \`${list}:\`, as in docs/configuration.md.`;
    throw new MillraceError('bad_configuration', 'there must be one entry', { remedy });
  }
  const { file, ...rest } = { ...entry } as { file?: unknown };
  return typeof file === 'string' && list === 'functions'
    ? { ...rest, code: readNamed(path.resolve(folder, file), file) }
    : { ...entry };
}

export const entryText = (entry: object): string => yamlText(entry);
