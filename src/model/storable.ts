/** Texts of others as Postgres stores them: a text has no U+0000 there, and neither that nor half a surrogate pair is in `jsonb`. */

export const isUnstorable = (text: string): boolean => text.includes('\u0000') || !text.isWellFormed();

export const storable = (text: string): string => text.replaceAll('\u0000', '\ufffd').toWellFormed();

/** As JSON, keys too; null and undefined: null. */
export const storableJson = (value: unknown): string | null =>
  value == null ? null : JSON.stringify(value, (_key, one: unknown) => storableOne(one));

function storableOne(one: unknown): unknown {
  if (typeof one === 'string') return storable(one);
  if (typeof one !== 'object' || one === null || !Object.keys(one).some(isUnstorable)) return one;
  return Object.fromEntries(Object.entries(one).map(([key, inner]) => [storable(key), inner]));
}
