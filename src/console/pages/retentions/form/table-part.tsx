/** The table that the changes are kept in, and who makes it. */
import { Faults } from '../../../parts/faults.tsx';
import { Choice } from '../../../parts/field.tsx';
import { TextKey } from '../../../parts/form/controls.tsx';
import { DatabaseKey } from '../../../parts/form/database-key.tsx';
import { useField } from '../../../parts/form/form.tsx';
import { TestConnection } from '../../../parts/form/test-connection.tsx';
import type { RetentionEntry } from './entry.ts';
import { TableSql } from './table-sql.tsx';

interface TableKeysProps {
  /** What counts while nobody has written a name. */
  proposed?: string | undefined;
}

export function TableKeys({ proposed }: TableKeysProps) {
  return (
    <div className="grid gap-x-6 gap-y-4 sm:grid-cols-2">
      <DatabaseKey path="destination_database" label="Target database" hint="It may be the same database">
        The changes are kept in a table of a database.
      </DatabaseKey>
      <span aria-hidden className="max-sm:hidden" />
      <TextKey path="destination_table_schema" label="Schema of the change table" fallback="public" />
      <TextKey
        path="destination_table_name"
        label="Change table"
        placeholder={proposed}
        hint="An existing table is used as it is"
      />
    </div>
  );
}

interface MakingPartProps {
  /** With what counts where nothing is written. */
  entry: RetentionEntry;
  /** What is asked whether it takes entries. */
  test: { stored?: string; body: object };
}

export function MakingPart({ entry, test }: MakingPartProps) {
  const { value, set, errors } = useField('create_if_not_exists');
  return (
    <div>
      <Choice
        label="If the table does not exist yet"
        value={value === true ? 'create' : 'run'}
        options={[
          { value: 'create', label: 'Create it for me' },
          { value: 'run', label: 'I run the SQL myself', hint: 'The default in the configuration file' },
        ]}
        onChange={(choice) => set(choice === 'create')}
      />
      {errors && <Faults errors={errors} />}
      {entry.destination_database === '' || entry.destination_table_name === '' ? (
        <p className="mt-2 text-muted">Its SQL is shown once database and table are chosen.</p>
      ) : (
        <TableSql entry={entry}>
          {(sql) => (
            <TestConnection
              key={`${entry.destination_database} ${value}`}
              {...test}
              label={value === true ? 'Check' : 'I ran it, check'}
              above={sql}
            />
          )}
        </TableSql>
      )}
    </div>
  );
}
