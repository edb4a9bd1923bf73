/** Values as Postgres writes them, as text, whatever their type: nothing of them is lost on its way. */
import type pg from 'pg';
import type { Connection } from './pool.ts';

export const AS_TEXT: pg.CustomTypesConfig = { getTypeParser: () => (value: string) => value };

/** Rows of texts, in the order of the columns; null for NULL. */
export async function queryTexts(
  client: Connection,
  text: string,
  values: readonly unknown[] = [],
): Promise<(string | null)[][]> {
  const asked = { text, values: [...values], rowMode: 'array', types: AS_TEXT } as const;
  return (await client.query<(string | null)[]>(asked)).rows;
}
