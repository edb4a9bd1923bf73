/**
 * Names and texts in statements and commands, the ones that we run and the ones that we print for people to run: whatever is
 * in a name, it is never read as SQL nor by a shell.
 */

export interface QuotedTable {
  schema: string;
  name: string;
}

/** `"name"`. */
export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** `"schema"."name"`. */
export const quoteTable = (table: QuotedTable): string =>
  `${quoteIdentifier(table.schema)}.${quoteIdentifier(table.name)}`;

/** Has it lost bytes that are no UTF-8, as a SQL_ASCII database may have them in a name? Then no statement of ours finds it. */
export const isMisspelt = (name: string): boolean => name.includes('\ufffd');

/** `'text'`, the same whether backslashes escape or not. */
export const quoteLiteral = (text: string): string => {
  const doubled = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? `e${doubled.replaceAll('\\', '\\\\')}` : doubled;
};

/** A word of a POSIX shell, in quotes where it needs them. */
export const quoteShell = (word: string): string =>
  /^[\w./:@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** `bin/millrace` with these words. A word of somebody else's that begins with a dash must come behind `--`. */
export const millrace = (...words: string[]): string => ['bin/millrace', ...words.map(quoteShell)].join(' ');

/** A statement as somebody wrote it, behind which a semicolon ends it: not in its last comment, which would hide the next one too. */
export function openEnded(sql: string): string {
  const bare = sql.replace(/[\s;]+$/, '');
  return /--[^\r\n]*$/.test(bare) ? `${bare}\n` : bare;
}

/** A statement with a word about it that SQL does not read, whatever it names. */
export const remarked = (sql: string, remark: string): string =>
  `${openEnded(sql)}; -- ${remark.replaceAll(/[\r\n]+/g, ' ')}`;
