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

/** `'text'`, the same whether backslashes escape or not. */
export const quoteLiteral = (text: string): string => {
  const doubled = `'${text.replaceAll("'", "''")}'`;
  return text.includes('\\') ? `e${doubled.replaceAll('\\', '\\\\')}` : doubled;
};
