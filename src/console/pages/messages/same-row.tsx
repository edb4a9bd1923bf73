/** The messages of its row that are behind it: they keep their order, and wait for it. */
import { usePerson } from '../../api/person.ts';
import { useGet } from '../../api/queries.ts';
import { count } from '../../lib/format.ts';
import { DataList } from '../../parts/data-list.tsx';
import { Loaded, Note } from '../../parts/places.tsx';
import { messageCard } from './columns.tsx';
import { type Message, usePlace } from './place.ts';

const NOTHING = { chosen: new Set<number>(), choose: () => undefined };

export function SameRow({ message: { id, table_schema, table_name, record_pk } }: { message: Message }) {
  const { paths, name } = usePlace();
  const { may } = usePerson();
  const table = `${table_schema}.${table_name}`;
  const query = useGet(
    paths.list,
    { path: { sink: name }, query: { table, key: record_pk ?? '', after: String(id - 1), limit: 50 } },
    { every: 2_000, enabled: record_pk != null },
  );
  if (!may('read:data')) return <Note tone="idle">Seeing keys needs the scope read:data.</Note>;
  if (record_pk == null) return <p className="text-muted">Its table has no key.</p>;
  return (
    <Loaded query={query}>
      {({ data, next_cursor, scanned }) => (
        <>
          <DataList
            label={`Messages of ${table} ${record_pk}`}
            columns={[]}
            card={messageCard(NOTHING)}
            rows={data}
            keyOf={(one) => String(one.id)}
            isOpen={(one) => one.id === id}
            narrow={Number.POSITIVE_INFINITY}
          />
          <p className="mt-2 text-sm text-muted">
            {next_cursor === null
              ? 'This message and all that wait behind it, in order.'
              : `This message and those behind it, in order, among the next ${count(scanned)} messages.`}
          </p>
        </>
      )}
    </Loaded>
  );
}
