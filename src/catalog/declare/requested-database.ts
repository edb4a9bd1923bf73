/** A database as a request has it: an entry of `databases:`, with Sequin's keys and what an answer of ours shows of it. */
import { capturesByTriggers, type DatabaseAddress, type DatabaseSettings } from '../../model/declared.ts';
import { type Fault, MillraceError } from '../../model/errors.ts';
import { type Finding, fieldOf } from '../../model/finding.ts';
import { checkDeclaration } from './declaration.ts';
import { isObject } from './written.ts';

export interface RequestedDatabase {
  settings: DatabaseSettings;
  address: DatabaseAddress;
  /** A slot, a publication or a way of capture is named: it is to be captured. */
  isSource: boolean;
}

type Given = Readonly<Record<string, unknown>>;

/** Shown, and not to be changed: who reads, edits and sends back has them in it. */
const SHOWN = new Set([
  ...['id', 'health', 'state', 'managed_by', 'declared_from', 'version', 'updated_by', 'warnings'],
  ...['entry_name', 'inserted_at', 'updated_at'],
]);
const PARTS = {
  slot: { flat: 'slot_name', given: 'slot_name' },
  publication: { flat: 'publication_name', given: 'publication_name' },
} as const;
const AT = ['databases', 0] as const;

/**
 * Its keys as the file has them: of Sequin's `replication_slots` the names, beside which nothing of slot and publication changes.
 * @throws MillraceError invalid
 */
export function databaseKeys(given: Given): Record<string, unknown> {
  const { replication_slots: slots, ...rest } = given;
  const keys = Object.fromEntries(Object.entries(rest).filter(([key]) => !SHOWN.has(key)));
  if (slots === undefined || slots === null) return keys;
  const [first, ...more] = Array.isArray(slots) ? slots : [undefined];
  const refuse = (message: string, remedy: string): MillraceError =>
    notValid([{ field: 'replication_slots', message, remedy }]);
  if (!isObject(first) || more.length > 0)
    throw refuse('must be a list of one { slot_name, publication_name }', 'Another slot is another database.');
  for (const [key, { flat, given: name }] of Object.entries(PARTS)) {
    const wanted = first[name];
    if (wanted === undefined) continue;
    const beside = keys[key];
    const known = isObject(beside) ? beside.name : keys[flat];
    if (known !== undefined && known !== wanted)
      throw refuse(`says another ${name} than \`${isObject(beside) ? key : flat}\``, 'Keep one of the two.');
    if (known === undefined) keys[key] = { name: wanted };
  }
  return keys;
}

/** @throws MillraceError invalid, with every fault by its field */
export function readDatabase(keys: Given): RequestedDatabase {
  const { declared, faults } = checkDeclaration({ databases: [keys] });
  const [read] = declared.databases;
  if (faults.length > 0 || read === undefined) throw notValid(faults.map(placed));
  return {
    ...read,
    isSource:
      capturesByTriggers(read.settings) ||
      Object.entries(PARTS).some(([key, { flat }]) => keys[key] !== undefined || keys[flat] !== undefined),
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
