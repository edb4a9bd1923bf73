/**
 * A row's key as one text: the `_id` of its document, the `record_pk` of views and change tables. The values joined with
 * `-`, such that no two keys of a table (all of the same number of values) have the same text.
 *
 * It is so by itself when no value holds a `-`, and whatever the last one holds. Otherwise some values are whole, for it
 * can be seen where they end: UUIDs, numbers, infinities, dates and timestamps. The others, but for the last, are escaped: `\-`
 * for each `-` in them, `\\` for each `\`, and `\.` for an empty one. One that could be read together with what follows it as
 * a whole value begins with another `\`. So the text can be read back from left to right: a whole value where one stands,
 * else up to the next bare `-`; the last one is the rest.
 *
 * millrace_private.joined_key is the same in SQL: change both or none (test/model/joined-key.pg.test.ts compares them).
 */
const WHOLE_VALUE =
  '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|-([0-9]+([.][0-9]+)?|[Ii]nfinity)|-?[0-9]+([.][0-9]+)?e[+-][0-9]+|[0-9]{4,}-[0-9]{2}-[0-9]{2}([ T][^-\\\\]*)?';
const IS_WHOLE = new RegExp(`^(${WHOLE_VALUE})$`);
const STARTS_WHOLE = new RegExp(`^(${WHOLE_VALUE})(-|$)`);

/** The key's values (texts, in key order) as one text. Of one value it is that value. */
export function joinedKey(values: readonly string[]): string {
  if (values.length < 2) return values[0] ?? '';
  const plain = values.join('-');
  if (countOf('-', plain) < values.length) return plain;
  let joined = values.at(-1)!;
  for (const value of values.slice(0, -1).reverse()) {
    if (IS_WHOLE.test(value)) joined = `${value}-${joined}`;
    else {
      joined = `${value === '' ? '\\.' : value.replace(/[\\-]/g, '\\$&')}-${joined}`;
      if (STARTS_WHOLE.test(joined)) joined = `\\${joined}`;
    }
  }
  return joined;
}

/** The values of a key of `count` values whose text this is; undefined when no such key has it. */
export function keyOfJoined(joined: string, count: number): string[] | undefined {
  if (count === 1) return [joined];
  if (countOf('-', joined) === count - 1) return joined.split('-');
  const values: string[] = [];
  let rest: string | undefined = joined;
  while (rest !== undefined && values.length < count - 1) {
    const [value, after]: [string, string | undefined] = firstOf(rest);
    values.push(value);
    rest = after;
  }
  if (rest === undefined) return undefined;
  values.push(rest);
  return joinedKey(values) === joined ? values : undefined;
}

/** The first value of a text with escapes, and what comes after its `-`. */
function firstOf(joined: string): [value: string, rest: string | undefined] {
  const whole = STARTS_WHOLE.exec(joined)?.[1] ?? /^(\\.|[^-\\])*/s.exec(joined)![0];
  const rest = joined.length > whole.length ? joined.slice(whole.length + 1) : undefined;
  if (IS_WHOLE.test(whole)) return [whole, rest];
  return [whole === '\\.' ? '' : whole.replace(/\\(.)/gs, '$1'), rest];
}

function countOf(character: string, text: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}
