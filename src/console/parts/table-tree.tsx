/**
 * The tables of a source, under their schemas, to choose from. One whose changes do not come is there too, greyed, with the
 * reason and what to run.
 */
import { ChevronDownIcon, ChevronRightIcon, InfoIcon } from '@primer/octicons-react';
import { useDeferredValue, useId, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useGet } from '../api/queries.ts';
import { count, plural } from '../lib/format.ts';
import { quoteTable, tableName } from '../lib/sql.ts';
import { Button } from './button.tsx';
import { CopyButton, Mono } from './code.tsx';
import { SearchField } from './field.tsx';
import { Empty, Loaded } from './places.tsx';
import { Remedy } from './remedy.tsx';

export type SourceTable = Schemas['Table'];

const LIMIT = 300;

interface TableTreeProps {
  /** Name or id. */
  database: string;
  /** `schema.table`, each. */
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  /** Whether old values are of use to whoever takes these tables in. */
  wantsOldValues?: boolean;
  /** Not more than one of them. */
  isSingle?: boolean;
}

/** Does a table's change come, as far as its source is concerned? */
export const comes = ({ capture }: SourceTable): boolean => capture?.comes ?? true;

export function TableTree(props: TableTreeProps) {
  const { database, chosen, onChange, wantsOldValues = true, isSingle = false } = props;
  const [text, setText] = useState('');
  const group = useId();
  const q = useDeferredValue(text.trim());
  const query = useGet('/api/postgres_databases/{database}/tables', {
    path: { database },
    query: { expand: 'capture', limit: LIMIT, ...(q === '' ? {} : { q }) },
  });
  const choose = (tables: readonly SourceTable[], isOn: boolean): void => {
    const next = new Set(isSingle ? [] : chosen);
    for (const table of tables) {
      if (isOn) next.add(tableName(table));
      else next.delete(tableName(table));
    }
    onChange(next);
  };
  return (
    <div className="space-y-2">
      <div className="flex flex-wrap items-center gap-3">
        <SearchField label="Search tables" value={text} onChange={setText} />
        <p role="status" className="text-sm text-muted">
          {isSingle && chosen.size > 0 ? [...chosen].join() : plural(chosen.size, 'table')} selected
        </p>
        {chosen.size > 0 && (
          <Button look="quiet" onClick={() => onChange(new Set())}>
            Clear selection
          </Button>
        )}
        <span className="ml-auto">
          <Button look="quiet" busy={query.isFetching} onClick={() => void query.refetch()}>
            Refresh
          </Button>
        </span>
      </div>
      <Loaded query={query} lines={6}>
        {({ data, next_cursor }) => (
          <>
            <Schemes {...{ tables: data, chosen, choose, wantsOldValues, q }} group={isSingle ? group : undefined} />
            {next_cursor !== null && (
              <p className="text-sm text-muted">The first {count(LIMIT)} tables; search for the others.</p>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

interface Choosing {
  chosen: ReadonlySet<string>;
  choose: (tables: readonly SourceTable[], isOn: boolean) => void;
  wantsOldValues: boolean;
  /** Of which not more than one is chosen: the name of their buttons. */
  group: string | undefined;
}

function Schemes({ tables, q, ...choosing }: Choosing & { tables: readonly SourceTable[]; q: string }) {
  if (tables.length === 0) {
    return q === '' ? (
      <Empty title="No tables">Create a table in this database, then refresh.</Empty>
    ) : (
      <NotFound q={q} />
    );
  }
  const schemas = [...Map.groupBy(tables, ({ schema }) => schema)];
  return (
    <ul
      aria-label="Tables by schema"
      className="max-h-[28rem] divide-y divide-line overflow-y-auto rounded-md border border-line"
    >
      {schemas.map(([schema, group]) => (
        <Scheme key={schema} schema={schema} tables={group} {...choosing} />
      ))}
    </ul>
  );
}

function Scheme({ schema, tables, ...choosing }: Choosing & { schema: string; tables: readonly SourceTable[] }) {
  const { chosen, choose, group } = choosing;
  const [isOpen, setOpen] = useState(true);
  const id = useId();
  const takeable = tables.filter(comes);
  const isChosen = (table: SourceTable): boolean => chosen.has(tableName(table));
  const some = tables.filter(isChosen).length;
  const all = takeable.length > 0 && takeable.every(isChosen);
  const Chevron = isOpen ? ChevronDownIcon : ChevronRightIcon;
  return (
    <li>
      <div className="flex h-8 items-center gap-2 bg-surface px-2 pointer-coarse:h-11">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={`Tables of ${schema}`}
          onClick={() => setOpen(!isOpen)}
          className="inline-flex size-6 items-center justify-center text-muted"
        >
          <Chevron size={14} aria-hidden />
        </button>
        {group !== undefined ? (
          <span className="truncate font-mono text-sm font-medium">{schema}</span>
        ) : (
          <label className="flex min-w-0 items-center gap-2 font-mono text-sm font-medium">
            <input
              type="checkbox"
              className="size-4 shrink-0 accent-accent"
              checked={all}
              disabled={takeable.length === 0}
              ref={(box) => {
                if (box !== null) box.indeterminate = some > 0 && !all;
              }}
              onChange={(event) => choose(event.target.checked ? takeable : tables, event.target.checked)}
            />
            <span className="truncate">{schema}</span>
          </label>
        )}
        <span className="ml-auto pr-1 text-xs text-muted tabular-nums">
          {some > 0 && `${count(some)} of `}
          {plural(tables.length, 'table')}
        </span>
      </div>
      <ul id={id} hidden={!isOpen} aria-label={`Tables of schema ${schema}`}>
        {tables.map((table) => (
          <Leaf key={table.oid} table={table} {...choosing} />
        ))}
      </ul>
    </li>
  );
}

function Leaf({ table, chosen, choose, wantsOldValues, group }: Choosing & { table: SourceTable }) {
  const id = useId();
  const isChosen = chosen.has(tableName(table));
  const canCome = comes(table);
  const finding = table.capture?.finding ?? null;
  return (
    <li className="border-t border-line py-1 pr-3 pl-10 hover:bg-surface">
      <div className="flex items-baseline gap-2">
        <input
          id={id}
          type={group === undefined ? 'checkbox' : 'radio'}
          name={group}
          className="size-4 shrink-0 translate-y-0.5 accent-accent"
          checked={isChosen}
          // One that was chosen before can be put down again.
          disabled={!canCome && !isChosen}
          aria-describedby={finding === null ? `${id}-about` : `${id}-about ${id}-why`}
          onChange={(event) => choose([table], event.target.checked)}
        />
        <div className="flex min-w-0 flex-wrap items-baseline gap-x-4">
          <label
            htmlFor={id}
            className={`min-w-0 py-0.5 font-mono text-sm break-words pointer-coarse:py-3 ${canCome ? '' : 'text-muted'}`}
          >
            {table.name}
          </label>
          <span id={`${id}-about`} className="text-sm text-muted tabular-nums">
            <About table={table} />
          </span>
          {wantsOldValues && isChosen && canCome && <OldValues table={table} />}
        </div>
      </div>
      {finding !== null && (
        <div id={`${id}-why`} className="mb-1 ml-6 text-sm text-muted">
          <Remedy finding={finding} />
        </div>
      )}
    </li>
  );
}

/** What is called so may be there all the same. */
export const NotFound = ({ q }: { q: string }) => (
  <Empty title={`No table name contains “${q}”`}>
    Partitions are not listed: their changes come under the name of their table. Temporary and system tables are never
    captured.
  </Empty>
);

const KINDS: Record<SourceTable['kind'], string> = {
  ...{ table: '', unlogged: 'unlogged', foreign: 'foreign table', view: 'view', matview: 'materialized view' },
};

/** Empty of a table like any other. */
export const kindOfTable = ({ kind, partitioned }: SourceTable): string => (partitioned ? 'partitioned' : KINDS[kind]);

function About({ table }: { table: SourceTable }) {
  const { kind, estimated_rows: rows, key, partitioned } = table;
  if (kind !== 'table') return kindOfTable(table);
  return (
    <>
      {rows === null ? 'row count not known yet' : `about ${plural(rows, 'row')}`}
      {key.length > 0 && (
        <>
          , key <Mono>{key.join(', ')}</Mono>
        </>
      )}
      {partitioned && ', partitioned'}
    </>
  );
}

/** An information, no fault: what an update changed is not in its messages. */
function OldValues({ table }: { table: SourceTable }) {
  if (table.identity === 'full') return null;
  return (
    <span className="inline-flex items-center gap-1 self-center text-sm text-muted">
      <InfoIcon size={14} aria-hidden />
      no old values
      <CopyButton look="quiet" label="Copy SQL" text={`alter table ${quoteTable(table)} replica identity full;`} />
    </span>
  );
}
