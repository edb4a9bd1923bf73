/** Which changes of a table are wanted: by what was done to a row, and by what is in it. */

import { type ReactNode, useState } from 'react';
import { Button } from '../button.tsx';
import { Faults } from '../faults.tsx';
import { Checkbox, Field, Select } from '../field.tsx';
import { comparedAs, comparedWith, isList, shownText } from './compared.ts';
import { useField } from './form.tsx';
import { ACTIONS, type ColumnFilter, plainFilter } from './values.ts';

export function ActionsKey() {
  const { value, set, errors } = useField('actions');
  const chosen = value as string[];
  return (
    <fieldset>
      <legend className="text-sm font-medium">
        Actions <span className="font-normal text-muted">default: all three</span>
      </legend>
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
      {errors && <Faults errors={errors} />}
    </fieldset>
  );
}

const OPERATORS = ['=', '!=', '>', '<', '>=', '<=', 'in', 'not_in', 'is_null', 'not_null'];
const NO_VALUE = ['is_null', 'not_null'];

/** `children`: what else there is to say of them. */
export function FiltersKey({ children }: { children?: ReactNode }) {
  const { value, set, errors } = useField('filters');
  const filters = value as ColumnFilter[];
  const change = (place: number, part: Partial<ColumnFilter>): void =>
    set(filters.map((filter, at) => (at === place ? plainFilter({ ...filter, ...part }) : filter)));
  return (
    <fieldset className="space-y-2 sm:col-span-2">
      <legend className="text-sm font-medium">Only rows that match all of these</legend>
      {filters.map((filter, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: their place is what they are
        <FilterRow key={place} filter={filter} change={(part) => change(place, part)}>
          <Button look="quiet" onClick={() => set(filters.filter((_, at) => at !== place))}>
            Remove
          </Button>
        </FilterRow>
      ))}
      {errors && <Faults errors={errors} />}
      <Button onClick={() => set([...filters, { column_name: '', operator: '=', comparison_value: '' }])}>
        Add a filter
      </Button>
      {children}
    </fieldset>
  );
}

interface FilterRowProps {
  filter: ColumnFilter;
  change: (part: Partial<ColumnFilter>) => void;
  children: ReactNode;
}

function FilterRow({ filter, change, children }: FilterRowProps) {
  const { column_name, operator, comparison_value, field_path } = filter;
  const [typed, setTyped] = useState('');
  const shown = shownText(typed, comparison_value, operator);
  return (
    <div className="flex flex-wrap items-end gap-2">
      <Field
        label="Column"
        className="!w-40"
        value={column_name}
        onChange={({ target }) => change({ column_name: target.value })}
      />
      <Field
        label="Field in the JSON"
        className="!w-40"
        placeholder="json columns only"
        value={field_path ?? ''}
        onChange={({ target }) => change({ field_path: target.value || null })}
      />
      <Select
        label="Is"
        value={operator}
        onChange={({ target }) =>
          change({
            operator: target.value,
            comparison_value: NO_VALUE.includes(target.value)
              ? null
              : comparedAs(shown, comparison_value, { from: operator, to: target.value }),
          })
        }
      >
        {OPERATORS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
      {!NO_VALUE.includes(operator) && (
        <Field
          label={isList(operator) ? 'Values, separated by commas' : 'Value'}
          className="!w-40"
          value={shown}
          onChange={({ target }) => {
            setTyped(target.value);
            change({ comparison_value: comparedWith(target.value, operator) });
          }}
        />
      )}
      {children}
    </div>
  );
}
