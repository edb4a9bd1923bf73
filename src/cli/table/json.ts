/** JSON text read so that no digit of a row is lost, and written again for people. */

/** A number that would lose digits. */
export class Digits {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export function readJson(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && String(value) !== context.source
      ? new Digits(context.source)
      : value,
  );
}

/** On several lines. */
export function pretty(value: unknown, indent = ''): string {
  if (value instanceof Digits) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((item) => inner + pretty(item, inner)).join(',\n')}\n${indent}]`;
  }
  const pairs = Object.entries(value).map(([key, item]) => `${inner}${JSON.stringify(key)}: ${pretty(item, inner)}`);
  return pairs.length === 0 ? '{}' : `{\n${pairs.join(',\n')}\n${indent}}`;
}

/** On one line: a line break is never part of a text in it. */
export const oneLine = (value: unknown): string => pretty(value).replaceAll(/\n */g, '');
