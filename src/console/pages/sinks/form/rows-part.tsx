/** Which of the rows that are there already a new sink is sent. */

import { plural } from '../../../lib/format.ts';
import { Faults } from '../../../parts/faults.tsx';
import { Checkbox, Field, Select } from '../../../parts/field.tsx';
import { More } from '../../../parts/form/controls.tsx';
import { faultsAt } from '../../../parts/form/form.tsx';
import type { PartialBackfill } from './entry.ts';
import { useSinkForm } from './sink-form.ts';

/** `estimate`: rows of the chosen tables; null where nobody can say. */
export function RowsPart({ estimate }: { estimate: number | null }) {
  const { entry, set, faults } = useSinkForm();
  const { initial_backfill: wanted } = entry;
  const errors = faultsAt(faults, 'initial_backfill');
  const table = entry.source.include_tables?.length === 1 ? entry.source.include_tables[0] : undefined;
  const about = estimate === null ? '' : `, about ${plural(estimate, 'row')}`;
  return (
    <div>
      <Checkbox
        label={`Send existing rows${about}`}
        hint="Without this, the sink only gets changes from now on"
        checked={wanted !== false}
        onChange={({ target }) => set('initial_backfill', target.checked)}
      />
      {errors && <Faults errors={errors} />}
      {wanted !== false && table !== undefined && (
        <More label="Send only some of them">
          <From table={table} />
        </More>
      )}
    </div>
  );
}

function From({ table }: { table: string }) {
  const { entry, set } = useSinkForm();
  const { initial_backfill: wanted } = entry;
  const part: PartialBackfill | undefined = Array.isArray(wanted) ? wanted[0] : undefined;
  const first: PartialBackfill = { table, type: 'partial', sort_column: '', start_position: '' };
  const change = (given: Partial<PartialBackfill>): void =>
    set('initial_backfill', [{ ...(part ?? first), table, ...given }]);
  return (
    <>
      <Select
        label="From"
        value={part === undefined ? 'first' : 'value'}
        onChange={({ target }) => (target.value === 'first' ? set('initial_backfill', true) : change({}))}
      >
        <option value="first">the first row</option>
        <option value="value">a value of a column</option>
      </Select>
      {part !== undefined && (
        <>
          <span aria-hidden className="max-sm:hidden" />
          <Field
            label="Column"
            hint="An indexed column whose values only grow"
            value={part.sort_column}
            onChange={({ target }) => change({ sort_column: target.value })}
          />
          <Field
            label="Starting value"
            hint="As Postgres writes it, such as 1000 or 2026-01-31 00:00:00+00"
            value={part.start_position}
            onChange={({ target }) => change({ start_position: target.value })}
          />
        </>
      )}
    </>
  );
}
