/** A database as a request has it: an entry of `databases:`, with Sequin's keys and what an answer of ours shows of it. */
import type { DatabaseAddress, DatabaseSettings } from '../../model/declared.ts';
import { type Fault, MillraceError } from '../../model/errors.ts';
import { type Finding, fieldOf } from '../../model/finding.ts';
import { checkDeclaration } from './declaration.ts';

export interface RequestedDatabase {
  settings: DatabaseSettings;
  address: DatabaseAddress;
  /** A slot or a publication is named: it is to be captured. */
  isSource: boolean;
  /** What is accepted and may not be meant. */
  warnings: string[];
}

type Given = Readonly<Record<string, unknown>>;

/** Shown, and not to be changed: who reads, edits and sends back has them in it. */
const SHOWN = new Set([
  ...['id', 'health', 'state', 'managed_by', 'declared_from', 'status_by', 'version'],
  ...['inserted_at', 'updated_at', 'left'],
]);
const OF_SOURCE = ['slot', 'slot_name', 'publication', 'publication_name'];
const AT = ['databases', 0] as const;

/** Its keys as the file has them. @throws MillraceError invalid */
export function databaseKeys(given: Given): Record<string, unknown> {
  const { replication_slots: slots, ...rest } = given;
  const keys = Object.fromEntries(Object.entries(rest).filter(([key]) => !SHOWN.has(key)));
  if (slots === undefined || slots === null || OF_SOURCE.some((key) => key in keys)) return keys;
  const [first, ...more] = Array.isArray(slots) ? slots : [undefined];
  if (typeof first !== 'object' || first === null || more.length > 0) {
    const message = 'must be a list of one { slot_name, publication_name }';
    throw notValid([{ field: 'replication_slots', message, remedy: 'Declare another database for another slot.' }]);
  }
  const { slot_name, publication_name } = first as Record<string, unknown>;
  return {
    ...keys,
    ...(slot_name === undefined ? {} : { slot_name }),
    ...(publication_name === undefined ? {} : { publication_name }),
  };
}

/** @throws MillraceError invalid, with every fault by its field */
export function readDatabase(keys: Given): RequestedDatabase {
  const { declared, faults, warnings } = checkDeclaration({ databases: [keys] });
  const [read] = declared.databases;
  if (faults.length > 0 || read === undefined) throw notValid(faults.map(placed));
  return {
    ...read,
    isSource: OF_SOURCE.some((key) => keys[key] !== undefined),
    warnings: warnings.map(placed).map(({ field, message, remedy }) => `${field} ${message}. ${remedy}`),
  };
}

const placed = ({ path, message, remedy }: Finding): Fault => ({
  field: fieldOf(path.slice(AT.length)) || 'body',
  ...{ message, remedy },
});

function notValid(faults: Fault[]): MillraceError {
  const fields = [...new Set(faults.map(({ field }) => field))];
  return new MillraceError('invalid', `Not valid: ${fields.join(', ')}`, { faults });
}
