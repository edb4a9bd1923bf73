/** A file that somebody named on a command line, `-` for the standard input. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { MillraceError, messageOf } from '../../model/errors.ts';

/** Its text. @throws MillraceError bad_configuration */
export function readTyped(file: string): string {
  return readNamed(file === '-' ? 0 : file, file === '-' ? 'the standard input' : file);
}

/** Where the files that it names are looked for. */
export const folderOf = (file: string): string => (file === '-' ? path.resolve('.') : path.dirname(path.resolve(file)));

/** `name`: as it was written. @throws MillraceError bad_configuration */
export function readNamed(from: string | number, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(from));
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
    throw new MillraceError('bad_configuration', `${name} cannot be read (${reason})`, {
      remedy: 'Give the path of a readable UTF-8 file, or - for the standard input.',
    });
  }
}
