/** Entries of the file as forms edit them. What is empty is the default. */

export const ACTIONS = ['insert', 'update', 'delete'] as const;

export interface ColumnFilter {
  column_name: string;
  field_path?: string | null;
  operator: string;
  comparison_value?: unknown;
}

export type Inner = Record<string, unknown>;
export const isInner = (value: unknown): value is Inner =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `destination.tls.verify` */
export function valueAt(entry: unknown, path: string): unknown {
  let value = entry;
  for (const key of path.split('.')) value = isInner(value) ? value[key] : undefined;
  return value;
}

/** Another entry, with this value there. */
export function withValue<Value>(entry: Value, path: string, value: unknown): Value {
  const [key = '', ...rest] = path.split('.');
  const before: Inner = isInner(entry) ? entry : {};
  const inner = rest.length === 0 ? value : withValue(before[key] ?? {}, rest.join('.'), value);
  return { ...before, [key]: inner } as Value;
}

export const isNothing = (value: unknown): boolean => value === undefined || value === null || value === '';

/** Without what is empty: the default counts. */
export function filled(value: Inner): Inner {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) => {
      if (isNothing(one)) return [];
      const inner = isInner(one) ? filled(one) : one;
      const isEmpty = Array.isArray(inner) ? inner.length === 0 : isInner(inner) && Object.keys(inner).length === 0;
      return isEmpty ? [] : [[key, inner]];
    }),
  );
}

/** A filter without keys that have no value: absent says the same. */
export const plainFilter = ({ field_path, comparison_value, ...rest }: ColumnFilter): ColumnFilter => ({
  ...rest,
  ...(field_path == null ? {} : { field_path }),
  ...(comparison_value == null ? {} : { comparison_value }),
});

/** Digits are a number; what else was typed is sent as it is, so that the API can say what is wrong with it. */
export const figureOf = (text: string): number | string | null => {
  const plain = text.trim();
  if (plain === '') return null;
  return /^\d{1,15}$/.test(plain) ? Number(plain) : plain;
};

/** What stands on each line of a text. */
export const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** `owner: billing`; either may be in quotes, as JSON has it. */
const PAIR = /^("(?:[^"\\]|\\.)*"|[^:]*?)\s*(?::\s*(.*))?$/s;

const unquoted = (text: string): string => {
  if (!/^"(?:[^"\\]|\\.)*"$/s.test(text)) return text;
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
};

/** Of lines such as `owner: billing`. */
export const pairs = (text: string): Record<string, string> =>
  Object.fromEntries(
    lines(text).map((line) => {
      const [, name = line, one = ''] = PAIR.exec(line) ?? [];
      return [unquoted(name), unquoted(one)];
    }),
  );

/** In quotes where a line would be read as something else. */
const onLine = (text: string, isPlain: RegExp): string =>
  isPlain.test(text) && text === text.trim() ? text : JSON.stringify(text);

export const pairsText = (values: Readonly<Record<string, string>>): string =>
  Object.entries(values)
    .map(([name, one]) => `${onLine(name, /^[^":\n][^:\n]*$/)}: ${onLine(one, /^(?:[^"\n].*)?$/)}`)
    .join('\n');
