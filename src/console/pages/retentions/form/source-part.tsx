/** Whose changes are kept: of which table, and which of them. */
import { Faults } from '../../../parts/faults.tsx';
import { ActionsKey, FiltersKey } from '../../../parts/form/changes-wanted.tsx';
import { More } from '../../../parts/form/controls.tsx';
import { DatabaseKey } from '../../../parts/form/database-key.tsx';
import { useField } from '../../../parts/form/form.tsx';
import { TableTree } from '../../../parts/table-tree.tsx';

/** Of one that is made: its table is chosen from those that are there. */
export function ChosenSource() {
  const { value: database } = useField('source_database');
  return (
    <div className="space-y-4">
      <DatabaseKey path="source_database" label="Database">
        A change retention keeps the changes of a table.
      </DatabaseKey>
      {database !== '' && (
        <>
          <Tables database={String(database)} />
          <Changes />
        </>
      )}
    </div>
  );
}

function Tables({ database }: { database: string }) {
  const schema = useField('source_table_schema');
  const table = useField('source_table_name');
  const errors = [...(schema.errors ?? []), ...(table.errors ?? [])];
  const choose = (chosen: string): void => {
    const at = chosen.indexOf('.');
    schema.set(at < 0 ? 'public' : chosen.slice(0, at));
    table.set(chosen.slice(at + 1));
  };
  return (
    <div>
      <TableTree
        isSingle
        database={database}
        chosen={new Set(table.value === '' ? [] : [`${schema.value}.${table.value}`])}
        onChange={([chosen = '']) => choose(chosen)}
      />
      {errors.length > 0 && <Faults errors={errors} />}
    </div>
  );
}

const Changes = () => (
  <More label="Actions, filters">
    <ActionsKey />
    <FiltersKey />
  </More>
);

/** Of one that is there: its database stays. */
export function SourceKeys() {
  const { value: database } = useField('source_database');
  return (
    <div className="space-y-4">
      <p className="text-sm text-muted">
        A table of {String(database)}. For one of another database, make another change retention.
      </p>
      <Tables database={String(database)} />
      <Changes />
    </div>
  );
}
