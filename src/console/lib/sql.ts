/** Names in statements that somebody copies: whatever is in a name, it is never read as SQL. */

export interface TableName {
  schema: string;
  name: string;
}

export const quoteIdentifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const quoteTable = ({ schema, name }: TableName): string =>
  `${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;

/** As `include_tables` has it. */
export const tableName = ({ schema, name }: TableName): string => `${schema}.${name}`;

/** Such a name as an address or a request has it: what holds a dot or a quote is in double quotes. A schema with a dot is none. */
export function tablePart(table: string): string {
  const dot = table.indexOf('.');
  const part = (name: string): string => (/[".]/.test(name) ? quoteIdentifier(name) : name);
  return dot < 0 ? part(table) : `${part(table.slice(0, dot))}.${part(table.slice(dot + 1))}`;
}

/** Of a row's value. A text is one, whatever is in it: no operator compares one of digits with a number. */
export const valueLiteral = (value: unknown): string =>
  typeof value !== 'string' && /^-?\d+$/.test(String(value)) ? String(value) : quoteLiteral(String(value));

/** `'text'`, the same whether backslashes escape or not. */
export const quoteLiteral = (text: string): string => {
  const doubled = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? `e${doubled.replaceAll('\\', '\\\\')}` : doubled;
};
