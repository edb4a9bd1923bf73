/** What cannot be done with the catalog as it is: names that lead nowhere, and what an existing sink cannot become. */
import type { SinkSettings } from '../../model/declared.ts';
import type { Fault } from '../../model/errors.ts';
import { kindOf, type SinkRow } from './sinks.ts';

export interface Known {
  databases: ReadonlySet<string>;
  functions: ReadonlySet<string>;
}

export function references(settings: SinkSettings, known: Known): Fault[] {
  const into = kindOf(settings).writesInto?.(settings.destination);
  const databases = [settings.database, ...(into ? [into.database] : [])];
  const functions = [settings.filter, settings.transform, settings.routing].filter((name) => name !== null);
  const remedy = 'Declare it, or name one that is there.';
  const missing = (what: string, names: string[], there: ReadonlySet<string>): Fault[] =>
    names
      .filter((name) => !there.has(name))
      .map((name) => ({
        field: settings.name,
        message: `names the ${what} \`${name}\`, which does not exist`,
        remedy,
      }));
  return [...missing('database', databases, known.databases), ...missing('function', functions, known.functions)];
}

/** What an existing sink cannot become: its storage and its place in the order belong to its kind and its database. */
export function impossibleChanges(settings: SinkSettings, row: SinkRow | undefined): Fault[] {
  if (row === undefined) return [];
  const remedy = 'Give the new one another name, and remove the old one when its messages are done.';
  const { type } = kindOf(settings);
  if (row.kind !== type) {
    return [{ field: settings.name, message: `is of kind ${row.kind} and cannot become ${type}`, remedy }];
  }
  if (row.database_name !== settings.database) {
    const message = `reads from database \`${row.database_name}\` and cannot move to \`${settings.database}\``;
    return [{ field: settings.name, message, remedy }];
  }
  return [];
}
