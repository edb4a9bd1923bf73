/** One entry of `functions:` by itself, as a request brings it. */
import type { FunctionSettings } from '../../model/declared.ts';
import { type Fault, MillraceError } from '../../model/errors.ts';
import { type Finding, fieldOf } from '../../model/finding.ts';
import { DeclaredFunction, functionFindings } from './function.ts';

/** Shown, and not to be changed: who reads, edits and sends back has them in it. */
const SHOWN = new Set([
  ...['id', 'used_by', 'managed_by', 'declared_from', 'entry_name', 'version', 'updated_by', 'warnings'],
  ...['inserted_at', 'updated_at'],
]);

/** What of it can be changed. */
export const functionKeys = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(given).filter(([key]) => !SHOWN.has(key)));

/** @throws MillraceError invalid, with every fault. */
export function readFunction(entry: object): FunctionSettings {
  const parsed = DeclaredFunction.safeParse(entry);
  if (!parsed.success) throw invalid(functionFindings(entry, []).map(faultOf));
  const { settings, file, codePath } = parsed.data;
  if (file === null) return settings;
  const remedy = 'Send the code as `code`.';
  throw invalid([{ field: fieldOf(codePath), message: 'needs a configuration file to be relative to', remedy }]);
}

const faultOf = ({ path, message, remedy }: Finding): Fault => ({ field: fieldOf(path), message, remedy });

function invalid(faults: Fault[]): MillraceError {
  const fields = [...new Set(faults.map(({ field }) => field))];
  return new MillraceError('invalid', `Not valid: ${fields.join(', ')}`, { faults });
}
