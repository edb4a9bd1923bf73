/** Which changes a sink gets: of which tables, actions and rows, and in which order. */
import { Link } from '@tanstack/react-router';
import { useGet } from '../../../api/queries.ts';
import { Button } from '../../../parts/button.tsx';
import { Checkbox, Choice, Field, Select } from '../../../parts/field.tsx';
import { Empty, Loaded } from '../../../parts/places.tsx';
import { TableTree } from '../../../parts/table-tree.tsx';
import { FlagKey, LinesKey, More, WordKey } from './controls.tsx';
import { ACTIONS, type ColumnFilter, figureOf, type SinkEntry } from './entry.ts';
import { useField, useForm } from './form.tsx';

export function TablesPart() {
  const { entry, set, isStored } = useForm();
  const { include_tables } = entry.source;
  return (
    <div className="space-y-4">
      {!isStored && <Databases />}
      {entry.database !== '' && (
        <>
          <Choice
            label="Tables"
            value={include_tables == null ? 'all' : 'some'}
            options={[
              { value: 'some', label: 'These' },
              { value: 'all', label: 'All that are published, also later ones' },
            ]}
            onChange={(choice) => set('source.include_tables', choice === 'all' ? null : [])}
          />
          {include_tables != null && <ChosenTables chosen={include_tables} />}
          <More label="Actions, filters, order">
            <Actions />
            <LinesKey path="source.exclude_tables" label="Except these tables" hint="One a line: public.orders" />
            <LinesKey path="source.include_schemas" label="Only these schemas" hint="One a line" />
            <LinesKey path="source.exclude_schemas" label="Except these schemas" hint="One a line" />
            <Filters />
            <Order />
          </More>
        </>
      )}
    </div>
  );
}

function Databases() {
  const query = useGet('/api/postgres_databases', { query: { limit: 500 } });
  const { value, errors } = useField('database');
  const { set } = useForm();
  return (
    <Loaded query={query} lines={1}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="No database yet">
            A sink gets the changes of a database.{' '}
            <Link to={'/databases/new' as string} className="text-accent underline">
              Connect a database
            </Link>
          </Empty>
        ) : (
          <div className="max-w-xs">
            <Select
              label="Database"
              errors={errors}
              value={String(value)}
              onChange={({ target }) => set('database', target.value)}
            >
              <option value="">Choose one</option>
              {data.map(({ id, name }) => (
                <option key={id}>{name}</option>
              ))}
            </Select>
          </div>
        )
      }
    </Loaded>
  );
}

function ChosenTables({ chosen }: { chosen: readonly string[] }) {
  const { entry, set } = useForm();
  const { errors } = useField('source.include_tables');
  return (
    <div>
      <TableTree
        database={entry.database}
        chosen={new Set(chosen)}
        onChange={(tables) => set('source.include_tables', [...tables])}
        wantsOldValues={entry.destination.type !== 'elasticsearch'}
      />
      {errors && <p className="mt-1 text-sm text-danger">{errors.join('; ')}</p>}
    </div>
  );
}

function Actions() {
  const { value, set, errors } = useField('actions');
  const chosen = value as string[];
  return (
    <fieldset>
      <legend className="text-sm font-medium">Actions</legend>
      <div className="flex flex-wrap gap-x-5">
        {ACTIONS.map((action) => (
          <Checkbox
            key={action}
            label={action}
            checked={chosen.includes(action)}
            onChange={({ target }) =>
              set(ACTIONS.filter((one) => (one === action ? target.checked : chosen.includes(one))))
            }
          />
        ))}
      </div>
      {errors && <p className="text-sm text-danger">{errors.join('; ')}</p>}
    </fieldset>
  );
}

const OPERATORS = ['=', '!=', '>', '<', '>=', '<=', 'in', 'not_in', 'is_null', 'not_null'];
const LISTS = ['in', 'not_in'];
const NO_VALUE = ['is_null', 'not_null'];

/** As the API takes it: a number, true or false where it reads so; of `in` a list. */
function comparedWith(text: string, operator: string): unknown {
  if (LISTS.includes(operator)) return text.split(',').map((one) => comparedWith(one, '='));
  const plain = text.trim();
  if (plain === 'true' || plain === 'false') return plain === 'true';
  return figureOf(plain) ?? '';
}

function Filters() {
  const { value, set, errors } = useField('filters');
  const { entry } = useForm();
  const filters = value as ColumnFilter[];
  const change = (place: number, part: Partial<ColumnFilter>): void =>
    set(filters.map((filter, at) => (at === place ? { ...filter, ...part } : filter)));
  return (
    <fieldset className="space-y-2 sm:col-span-2">
      <legend className="text-sm font-medium">Only rows of which all of these hold</legend>
      {filters.map((filter, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
        <FilterRow key={place} filter={filter} change={(part) => change(place, part)}>
          <Button look="quiet" onClick={() => set(filters.filter((_, at) => at !== place))}>
            Remove
          </Button>
        </FilterRow>
      ))}
      {errors && <p className="text-sm text-danger">{errors.join('; ')}</p>}
      <Button onClick={() => set([...filters, { column_name: '', operator: '=', comparison_value: '' }])}>
        Add a filter
      </Button>
      {filters.length > 0 && entry.destination.type === 'elasticsearch' && (
        <div className="max-w-xs">
          <WordKey
            path="filter_leave"
            label="A row that leaves the filters"
            words={['delete', 'keep']}
            hint="delete: its document is deleted"
          />
        </div>
      )}
    </fieldset>
  );
}

interface FilterRowProps {
  filter: ColumnFilter;
  change: (part: Partial<ColumnFilter>) => void;
  children: React.ReactNode;
}

function FilterRow({ filter, change, children }: FilterRowProps) {
  const { column_name, operator, comparison_value, field_path } = filter;
  const shown = Array.isArray(comparison_value) ? comparison_value.join(', ') : String(comparison_value ?? '');
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Field
        label="Column"
        className="!w-40"
        value={column_name}
        onChange={({ target }) => change({ column_name: target.value })}
      />
      <Field
        label="Field in its JSON"
        className="!w-40"
        placeholder="of json columns"
        value={field_path ?? ''}
        onChange={({ target }) => change({ field_path: target.value || null })}
      />
      <Select
        label="Is"
        value={operator}
        onChange={({ target }) =>
          change({
            operator: target.value,
            comparison_value: NO_VALUE.includes(target.value) ? null : comparedWith(shown, target.value),
          })
        }
      >
        {OPERATORS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
      {!NO_VALUE.includes(operator) && (
        <Field
          label={LISTS.includes(operator) ? 'Values, with commas' : 'Value'}
          className="!w-40"
          value={shown}
          onChange={({ target }) => change({ comparison_value: comparedWith(target.value, operator) })}
        />
      )}
      {children}
    </div>
  );
}

function Order() {
  const { entry, set } = useForm();
  const { errors } = useField('tables');
  const columnsOf = (table: string): string =>
    entry.tables.find(({ name }) => name === table)?.group_column_names.join(', ') ?? '';
  const group = (table: string, text: string): void => {
    const columns = text.split(',').map((one) => one.trim());
    const others: SinkEntry['tables'] = entry.tables.filter(({ name }) => name !== table);
    set('tables', text.trim() === '' ? others : [...others, { name: table, group_column_names: columns }]);
  };
  return (
    <div className="space-y-2 sm:col-span-2">
      <FlagKey
        path="message_grouping"
        label="Changes of one row come in order"
        hint="Without it they may overtake each other"
        fallback
      />
      {entry.message_grouping &&
        (entry.source.include_tables ?? []).map((table) => (
          <div key={table} className="max-w-md">
            <Field
              label={`Columns that group ${table}`}
              hint="With commas; empty: the primary key. Rows with the same values keep their order"
              value={columnsOf(table)}
              onChange={({ target }) => group(table, target.value)}
            />
          </div>
        ))}
      {errors && <p className="text-sm text-danger">{errors.join('; ')}</p>}
    </div>
  );
}
