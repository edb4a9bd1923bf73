/** Storage that is damaged, as a disk that fails leaves it. */
import type pg from 'pg';

/** Takes away the large value that was stored first for a table: whoever reads its row gets XX001. A superuser may. */
export async function damageFirstLargeValue(client: pg.Client, table: string): Promise<void> {
  const { rows } = await client.query<{ toast: string }>(
    'select reltoastrelid::regclass::text as toast from pg_class where oid = $1::regclass',
    [table],
  );
  const { toast } = rows[0]!;
  const chunks = `select ctid::text as place from ${toast} where chunk_id = (select min(chunk_id) from ${toast})`;
  const places = (await client.query<{ place: string }>(chunks)).rows.map(({ place }) => place);
  await client.query('create extension pg_surgery');
  await client.query('select heap_force_kill($1::regclass, $2::tid[])', [toast, places]);
}
