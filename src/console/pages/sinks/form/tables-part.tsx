/** Which changes a sink gets: of which tables, actions and rows, and in which order. */
import { useState } from 'react';
import { Faults } from '../../../parts/faults.tsx';
import { Choice, Field } from '../../../parts/field.tsx';
import { ActionsKey, FiltersKey } from '../../../parts/form/changes-wanted.tsx';
import { FlagKey, LinesKey, More, WordKey } from '../../../parts/form/controls.tsx';
import { DatabaseKey } from '../../../parts/form/database-key.tsx';
import { useField } from '../../../parts/form/form.tsx';
import { TableTree } from '../../../parts/table-tree.tsx';
import { kindOfType } from '../kinds.ts';
import type { SinkEntry } from './entry.ts';
import { useSinkForm } from './sink-form.ts';

export function TablesPart() {
  const { entry, set, isStored } = useSinkForm();
  const { include_tables } = entry.source;
  return (
    <div className="space-y-4">
      {!isStored && (
        <DatabaseKey path="database" label="Database">
          A sink gets its changes from a database.
        </DatabaseKey>
      )}
      {entry.database !== '' && (
        <>
          <Choice
            label="Tables"
            value={include_tables == null ? 'all' : 'some'}
            options={[
              { value: 'some', label: 'These tables' },
              { value: 'all', label: 'All published tables, including future ones' },
            ]}
            onChange={(choice) => set('source.include_tables', choice === 'all' ? null : [])}
          />
          {include_tables != null && <ChosenTables chosen={include_tables} />}
          <More label="Actions, filters, order">
            <ActionsKey />
            <LinesKey
              path="source.exclude_tables"
              label="Except these tables"
              hint="One per line, such as public.orders"
            />
            <LinesKey path="source.include_schemas" label="Only these schemas" hint="One per line" />
            <LinesKey path="source.exclude_schemas" label="Except these schemas" hint="One per line" />
            <FiltersKey>
              {entry.filters.length > 0 && kindOfType(entry.destination.type).isIndex && <Leave />}
            </FiltersKey>
            <Order />
          </More>
        </>
      )}
    </div>
  );
}

function ChosenTables({ chosen }: { chosen: readonly string[] }) {
  const { entry, set } = useSinkForm();
  const { errors } = useField('source.include_tables');
  return (
    <div>
      <TableTree
        database={entry.database}
        chosen={new Set(chosen)}
        onChange={(tables) => set('source.include_tables', [...tables])}
        wantsOldValues={!kindOfType(entry.destination.type).isIndex}
      />
      {errors && <Faults errors={errors} />}
    </div>
  );
}

const Leave = () => (
  <div className="max-w-xs">
    <WordKey
      path="filter_leave"
      label="When a row no longer matches the filters"
      words={['delete', 'keep']}
      hint="With delete, its document is deleted"
    />
  </div>
);

function Order() {
  const { entry, set } = useSinkForm();
  const { errors } = useField('tables');
  const group = (table: string, columns: readonly string[]): void => {
    const others: SinkEntry['tables'] = entry.tables.filter(({ name }) => name !== table);
    set('tables', columns.length === 0 ? others : [...others, { name: table, group_column_names: [...columns] }]);
  };
  return (
    <div className="space-y-2 sm:col-span-2">
      <FlagKey
        path="message_grouping"
        label="Keep the changes of each row in order"
        hint="Without this, they may overtake each other"
        fallback
      />
      {entry.message_grouping &&
        (entry.source.include_tables ?? []).map((table) => (
          <GroupColumns
            key={table}
            table={table}
            columns={entry.tables.find(({ name }) => name === table)?.group_column_names ?? []}
            onChange={(columns) => group(table, columns)}
          />
        ))}
      {errors && <Faults errors={errors} />}
    </div>
  );
}

const columnsOf = (text: string): string[] => (text.trim() === '' ? [] : text.split(',').map((one) => one.trim()));

interface GroupProps {
  table: string;
  columns: readonly string[];
  onChange: (columns: readonly string[]) => void;
}

/** What somebody types stays as they typed it, as long as it says these columns: a comma may be on its way to more, or to none. */
function GroupColumns({ table, columns, onChange }: GroupProps) {
  const [typed, setTyped] = useState('');
  const said = columns.join(', ');
  return (
    <div className="max-w-md">
      <Field
        label={`Grouping columns of ${table}`}
        hint="Separated by commas; the primary key if empty. Rows with the same values keep their order"
        value={columnsOf(typed).join(', ') === said ? typed : said}
        onChange={({ target }) => {
          setTyped(target.value);
          onChange(columnsOf(target.value));
        }}
      />
    </div>
  );
}
