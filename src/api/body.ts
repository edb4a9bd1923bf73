/** The body of a request as its route wants it. */
import { MillraceError } from '../model/errors.ts';
import { itemsOf, membersOf } from '../model/json-scan.ts';
import { parseJson } from '../model/long-number.ts';
import { RawJson } from './raw-json.ts';

/**
 * `texts`: the keys that lead to a list whose items stay texts, with every digit; RawJson each. @throws MillraceError
 * bad_request: no JSON object.
 */
export function bodyOf(text: string, texts?: readonly string[]): unknown {
  try {
    const value = parseJson(text);
    if (typeof value === 'object' && value !== null) return texts === undefined ? value : withTexts(value, text, texts);
  } catch {
    // Said below: what the parser says may quote the text.
  }
  throw new MillraceError('bad_request', 'The body is not valid JSON', {
    faults: [{ field: 'body', message: 'is not a valid JSON object' }],
  });
}

/** `value` is that of `text`, which is therefore JSON. */
function withTexts(value: unknown, text: string, [key, ...keys]: readonly string[]): unknown {
  if (key === undefined) {
    return Array.isArray(value) ? itemsOf(text)!.map((item) => new RawJson(item)) : value;
  }
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return value;
  const inner = membersOf(text)?.get(key);
  return inner === undefined ? value : { ...value, [key]: withTexts(Reflect.get(value, key), inner, keys) };
}
