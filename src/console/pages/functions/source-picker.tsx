/** Which messages a function is tried on. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../api/client.ts';
import { useOverview } from '../../api/overview.ts';
import { allPages } from '../../lib/pages.ts';
import { Select } from '../../parts/field.tsx';
import type { Source } from './samples.ts';

interface SourcePickerProps {
  source: Source | null;
  onChange: (source: Source | null) => void;
  /** Of a sink's own tab: its messages can be chosen. */
  sink?: string | undefined;
  /** The database whose tables can be chosen; undefined: somebody chooses. */
  only?: string | undefined;
}

const PATH = '/api/postgres_databases/{database}/tables';
const AT_ONCE = 1_000;

/** As the value of an option. */
const keyOf = (source: Source | null): string => (source === null ? '' : JSON.stringify(source));

export function SourcePicker({ source, onChange, sink, only }: SourcePickerProps) {
  const { data } = useOverview();
  const databases = data?.databases ?? [];
  const known = data?.sinks.find(({ name }) => name === sink);
  const [picked, pick] = useState<string | null>(null);
  const chosen = picked ?? only ?? known?.database ?? databases[0]?.name ?? '';
  const database = source?.from === 'rows' ? source.database : chosen;
  const tables = useQuery({
    queryKey: [PATH, database, 'all'],
    queryFn: ({ signal }) =>
      allPages((cursor) => call('get', PATH, { path: { database }, query: { limit: AT_ONCE, cursor }, signal })),
    enabled: database !== '',
  });
  const rows = (tables.data ?? [])
    .filter(({ kind }) => kind === 'table')
    .map(({ schema, name }): Source => ({ from: 'rows', database, table: `${schema}.${name}` }));
  const messages: { label: string; source: Source }[] =
    sink === undefined
      ? []
      : [
          {
            label: `Parked messages of ${sink}`,
            source: { from: 'messages', sink, state: 'parked' },
          },
          { label: `Pending messages of ${sink}`, source: { from: 'messages', sink } },
          { label: `Recent messages of ${sink}`, source: { from: 'passing', sink } },
        ];
  const first = rows[0];
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when tables are known
  useEffect(() => {
    if (source === null && first !== undefined && sink === undefined && databases.length === 1 && rows.length === 1)
      onChange(first);
  }, [first?.from]);
  const isListed = [...rows, ...messages.map((one) => one.source)].some((one) => keyOf(one) === keyOf(source));
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      {databases.length > 1 && sink === undefined && only === undefined && (
        <Select
          label="Database"
          value={database}
          onChange={({ target }) => {
            pick(target.value);
            onChange(null);
          }}
        >
          {databases.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      )}
      <Select
        label="Samples"
        value={keyOf(source)}
        onChange={({ target }) => onChange(target.value === '' ? null : (JSON.parse(target.value) as Source))}
      >
        <option value="">None</option>
        {!isListed && source !== null && (
          <option value={keyOf(source)}>
            {source.from === 'messages' && source.id !== undefined ? `Message ${source.id}` : 'A table'}
          </option>
        )}
        {messages.map(({ label, source: one }) => (
          <option key={label} value={keyOf(one)}>
            {label}
          </option>
        ))}
        {rows.map((one) => (
          <option key={keyOf(one)} value={keyOf(one)}>
            Rows of {one.from === 'rows' ? one.table : ''}
          </option>
        ))}
      </Select>
    </div>
  );
}
