/** What a configuration file made, and does not name any more: it stays, and no file can change it. */
import { byCommand, byHand, type Finding, notice } from './finding.ts';

export interface NamedThing {
  /** As commands have it: `change_retention`. */
  type: string;
  name: string;
  /** Of its entry in the file, where it is another one. */
  entry?: string | null;
}

/** `made`: by the file, as it was applied at a start. `named`: by that file, as it is now. */
export function checkFile(made: readonly NamedThing[], named: readonly NamedThing[]): Finding[] {
  const keyOf = ({ type, name }: NamedThing): string => `${type} ${name}`;
  const still = new Set(named.map(keyOf));
  return made
    .filter((thing) => !still.has(keyOf(thing)))
    .map(({ type, name, entry }) => {
      const what = `${type.replaceAll('_', ' ')} ${name}`;
      const item = `${type} ${name}`;
      if (entry && still.has(keyOf({ type, name: entry }))) {
        const summary = `${what} is still called ${entry} in the configuration file: that entry has no effect`;
        return { ...notice('not_in_file', summary, byHand(`Call the entry ${name}.`)), item };
      }
      const summary = `${what} was made by the configuration file, which does not name it any more: it goes on as it was`;
      return { ...notice('not_in_file', summary, withoutFile(type, name)), item };
    });
}

function withoutFile(type: string, name: string) {
  const [verb, words]: [string, string[]] =
    type === 'token' ? ['revoke it', ['token', 'revoke', name]] : ['keep it without the file', ['release', type, name]];
  return byCommand(
    words,
    (command) =>
      `To ${verb}: ${command}. \`bin/millrace config apply FILE --prune\` removes all that the file does not name.`,
  );
}
