/** Texts of others as Postgres stores them: a text has no U+0000 there, and neither that nor half a surrogate pair is in `jsonb`. */

export const storable = (text: string): string => text.replaceAll('\u0000', '\ufffd').toWellFormed();

/** As JSON; null and undefined: null. */
export const storableJson = (value: unknown): string | null =>
  value == null ? null : JSON.stringify(value, (_key, one: unknown) => (typeof one === 'string' ? storable(one) : one));
