/** One of the functions that are there already. */
import { useAll } from '../../../api/queries.ts';
import { Select } from '../../../parts/field.tsx';
import { useField } from '../../../parts/form/form.tsx';
import { Loaded } from '../../../parts/places.tsx';
import { USES, type Use } from './uses.ts';

interface FunctionKeyProps {
  use: Use;
  hint?: string;
}

export function FunctionKey({ use, hint }: FunctionKeyProps) {
  const { value, set, errors } = useField(use);
  const { label, types } = USES[use];
  const query = useAll('/api/functions');
  return (
    <Loaded query={query} lines={1}>
      {({ data }) => (
        <div className="max-w-md">
          <Select
            label={label}
            hint={hint}
            errors={errors}
            value={String(value)}
            onChange={({ target }) => set(target.value)}
          >
            <option value="none">none</option>
            {data
              .filter(({ type }) => types.includes(type))
              .map(({ id, name }) => (
                <option key={id}>{name}</option>
              ))}
          </Select>
        </div>
      )}
    </Loaded>
  );
}
