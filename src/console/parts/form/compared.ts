/** What a filter compares a column with, as a field shows it and as the API takes it. */
import { JsonText } from '../../api/json-text.ts';
import { figureOf } from './values.ts';

const LISTS: readonly string[] = ['in', 'not_in'];

export const isList = (operator: string): boolean => LISTS.includes(operator);

/** As the API takes it: a number, true or false where it reads so; of `in` a list. */
export function comparedWith(text: string, operator: string): unknown {
  if (isList(operator)) return text.split(',').map((one) => comparedWith(one, '='));
  const plain = text.trim();
  if (plain === 'true' || plain === 'false') return plain === 'true';
  return figureOf(plain) ?? '';
}

/** With every digit. */
export function comparedText(value: unknown): string {
  if (Array.isArray(value)) return value.map(comparedText).join(', ');
  return value instanceof JsonText ? value.text : String(value ?? '');
}
