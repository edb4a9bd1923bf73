/** A table as an address names it: `schema.table`, or `table` of schema public; what holds a dot or a quote is in double quotes. */
import type { QuotedTable } from './quote.ts';

const FORM = /^(?:(?<schema>"(?:[^"]|"")+"|[^".]+)\.)?(?<name>"(?:[^"]|"")+"|[^".]+)$/;

/** Undefined: it is none. Names are taken as they are written, in any case of letters. */
export function tableInPath(text: string): QuotedTable | undefined {
  const { schema = 'public', name } = FORM.exec(text)?.groups ?? {};
  return name === undefined ? undefined : { schema: plain(schema), name: plain(name) };
}

const plain = (part: string): string => (part.startsWith('"') ? part.slice(1, -1).replaceAll('""', '"') : part);
