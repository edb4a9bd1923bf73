/** One of the databases that are connected. */
import { Link } from '@tanstack/react-router';
import { useAll } from '../../api/queries.ts';
import { Select } from '../field.tsx';
import { Empty, Loaded } from '../places.tsx';
import { useField } from './form.tsx';

interface DatabaseKeyProps {
  path: string;
  label: string;
  hint?: string;
  /** Where there is none: what it is for. */
  children: string;
}

export function DatabaseKey({ path, label, hint, children }: DatabaseKeyProps) {
  const query = useAll('/api/postgres_databases');
  const { value, set, errors } = useField(path);
  return (
    <Loaded query={query} lines={1}>
      {({ data }) =>
        data.length === 0 ? (
          <Empty title="No databases yet">
            {children}{' '}
            <Link to="/databases/new" className="text-accent underline">
              Connect a database
            </Link>
          </Empty>
        ) : (
          <div className="max-w-xs">
            <Select
              label={label}
              hint={hint}
              errors={errors}
              value={String(value)}
              onChange={({ target }) => set(target.value)}
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
