/** What a configuration file still names, though it is not the file's any more: another name would surprise its next apply. */
import { MillraceError } from '../../model/errors.ts';
import { millrace } from '../../model/quote.ts';
import type { Current } from './current.ts';
import { usesOf } from './function-uses.ts';
import { kindOf, typeOf } from './sinks.ts';
import { type Stored, type ThingType, wordOf } from './stored.ts';

/**
 * Entries that stay the file's name it: with another name they would not be what they were, and the next apply would fail.
 * @throws MillraceError managed_by_file
 */
export function refuseRename({ sinks }: Current, { name }: Stored, type: ThingType): void {
  const ofFile = sinks.filter((sink) => sink.managed_by === 'file' && names(sink.settings, name, type));
  const [first] = ofFile;
  if (first === undefined) return;
  const users = ofFile.map((sink) => sink.name);
  const summary = `${wordOf(type)} ${name} keeps its name: entries of the configuration file name it (${users.join(', ')})`;
  throw new MillraceError('managed_by_file', summary, {
    remedy: `Release each of them, as by: ${millrace('release', typeOf(first.settings), first.name)}`,
    facts: { used_by: users },
  });
}

function names(settings: Current['sinks'][number]['settings'], name: string, type: ThingType): boolean {
  if (type === 'function') return usesOf([{ settings }], name).length > 0;
  if (type !== 'database') return false;
  return settings.database === name || kindOf(settings).writesInto?.(settings.destination).database === name;
}

/** Its entry, if it is still there, has no effect, as before. */
export const renamedWarnings = ({ name, released, entry_name }: Stored): string[] =>
  released
    ? [`The configuration file may still have the entry ${entry_name ?? name}: it stays without effect. Take it out.`]
    : [];

/** Of what is deleted: where a file still has its entry. */
export const remadeWarnings = ({ released, managed_by, entry_name }: Stored): string[] =>
  released || managed_by === 'file'
    ? [
        `Its entry in the configuration file makes it again at the next apply${entry_name === null ? '' : `, as ${entry_name}`}: ` +
          'take it out there, too.',
      ]
    : [];
