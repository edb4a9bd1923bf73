/** What a verification found, document by document. */
import type { Schemas } from '../../api/client.ts';
import { usePerson } from '../../api/person.ts';
import { useGet } from '../../api/queries.ts';
import { count } from '../../lib/format.ts';
import { Section } from '../../parts/page.tsx';
import { Loaded, Note } from '../../parts/places.tsx';
import { type Column, Table } from '../../parts/table.tsx';

type Difference = Schemas['Difference'];

/** As many as one page of them may have. */
const MOST = 500;

interface DifferencesProps {
  /** Of the verification. */
  id: string;
  /** It has looked at everything: where it found nothing, there is nothing. */
  isWhole: boolean;
}

export function Differences({ id, isWhole }: DifferencesProps) {
  const { may } = usePerson();
  const query = useGet(
    '/api/operations/{id}/differences',
    { path: { id }, query: { limit: MOST } },
    { enabled: may('read:data') },
  );
  return (
    <Section title="Differences">
      {may('read:data') ? (
        <Loaded query={query}>
          {({ data, next_cursor }) =>
            data.length > 0 ? (
              <>
                <Table
                  label="Differences"
                  columns={COLUMNS}
                  rows={data}
                  keyOf={({ kind, index, id }) => `${kind} ${index} ${id}`}
                />
                {next_cursor !== null && <p className="mt-2 text-muted">These are the first {count(MOST)}.</p>}
              </>
            ) : isWhole ? (
              <Note tone="ok">The index matches its tables.</Note>
            ) : (
              <Note tone="idle">No differences were found before it ended. Not everything was compared.</Note>
            )
          }
        </Loaded>
      ) : (
        <Note tone="idle">Seeing ids and fields needs the scope read:data.</Note>
      )}
    </Section>
  );
}

const KINDS: Record<Difference['kind'], string> = {
  missing: 'missing from the index',
  extra: 'without a row',
  different: 'different',
};

const COLUMNS: readonly Column<Difference>[] = [
  { key: 'kind', heading: 'Difference', cell: ({ kind }) => KINDS[kind] },
  { key: 'id', heading: '_id', cell: ({ id }) => <span className="font-mono text-xs">{id}</span> },
  { key: 'index', heading: 'Index', cell: ({ index }) => index },
  { key: 'table', heading: 'Table', cell: ({ table }) => table ?? '–' },
  {
    key: 'fields',
    heading: 'Fields',
    cell: ({ fields, reason }) => (fields.length > 0 ? fields.join(', ') : (reason ?? '–')),
  },
];
