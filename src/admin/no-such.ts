/** A name of nothing: what was probably meant, and what there is. */
import { MillraceError } from '../model/errors.ts';
import { nearest } from '../model/finding.ts';

/** `not_found`; `what`: `sink`. */
export function noSuch(what: string, name: string, names: readonly string[]): MillraceError {
  const close = nearest(name, names);
  const all = names.length === 0 ? 'There is none yet.' : `There are: ${names.join(', ')}.`;
  const remedy = close === undefined ? all : `Did you mean ${close}? ${all}`;
  return new MillraceError('not_found', `there is no ${what} ${name}`, { remedy });
}
