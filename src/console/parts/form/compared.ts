/** What a filter compares a column with, as a field shows it and as the API takes it. */
import { JsonText, writeKeeping } from '../../api/json-text.ts';

const LISTS: readonly string[] = ['in', 'not_in'];

export const isList = (operator: string): boolean => LISTS.includes(operator);

/** One of a list: in quotes, as JSON has it, where a comma is part of it. */
const ITEM = /\s*("(?:[^"\\]|\\.)*")\s*(?=,|$)|[^,]*(?=,|$)/y;

/** As the API takes it: a number, true or false where it reads so; of `in` a list. */
export function comparedWith(text: string, operator: string): unknown {
  if (isList(operator)) return itemsOf(text).map((item) => unquoted(item.trim()) ?? plainOf(item));
  return plainOf(text);
}

function itemsOf(text: string): string[] {
  const items: string[] = [];
  for (let at = 0; at <= text.length; at = ITEM.lastIndex + 1) {
    ITEM.lastIndex = at;
    items.push(ITEM.exec(text)![0]);
  }
  return items;
}

/** A number as JavaScript writes it: `01234` is a text, whose zero counts. */
function plainOf(text: string): unknown {
  const plain = text.trim();
  if (/^(?:true|false|0|[1-9]\d{0,14})$/.test(plain)) return JSON.parse(plain);
  return plain;
}

function unquoted(text: string): string | undefined {
  if (!/^"(?:[^"\\]|\\.)*"$/.test(text)) return undefined;
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** With every digit; and so that it is read as what it is. */
export function comparedText(value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => itemText(comparedText(one))).join(', ');
  return value instanceof JsonText ? value.text : String(value ?? '');
}

const itemText = (text: string): string => (/[,"]/.test(text) || text !== text.trim() ? JSON.stringify(text) : text);

/** What somebody types stays as they typed it, as long as it says that value: a space or a comma may be on its way to more. */
export const shownText = (typed: string, value: unknown, operator: string): string =>
  writeKeeping(comparedWith(typed, operator)) === writeKeeping(value ?? '') ? typed : comparedText(value);

/** The same for another operator; a list stays one, whatever is in it. */
export const comparedAs = (shown: string, value: unknown, { from, to }: { from: string; to: string }): unknown =>
  Array.isArray(value) && isList(from) && isList(to) ? value : comparedWith(shown, to);
