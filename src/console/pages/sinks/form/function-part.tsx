/** What becomes of a row before it is sent: as it is, or shaped by a function; filtered and routed, where that is wanted. */
import { useState } from 'react';
import { useGet } from '../../../api/queries.ts';
import { Choice, Field, Select, TextArea } from '../../../parts/field.tsx';
import { More } from '../../../parts/form/controls.tsx';
import { useField } from '../../../parts/form/form.tsx';
import { Loaded } from '../../../parts/places.tsx';
import { kindOfType } from '../kinds.ts';
import { Samples } from './samples.tsx';
import { useSinkForm } from './sink-form.ts';

export const FIRST_CODE = '(action, record, changes, metadata) => record';

/** A function that is still being written; it is made with the sink. */
export interface Written {
  name: string;
  code: string;
}

interface FunctionPartProps {
  written: Written | null;
  onWrite: (written: Written | null) => void;
}

export function FunctionPart({ written, onWrite }: FunctionPartProps) {
  const { entry, set } = useSinkForm();
  const choice = written !== null ? 'write' : entry.transform === 'none' ? 'none' : 'pick';
  const [isPicking, setPicking] = useState(false);
  const shown = choice === 'none' && isPicking ? 'pick' : choice;
  const choose = (next: string): void => {
    setPicking(next === 'pick');
    if (next !== 'pick') set('transform', 'none');
    onWrite(next === 'write' ? { name: '', code: FIRST_CODE } : null);
  };
  const table = entry.source.include_tables?.[0];
  return (
    <div className="space-y-3">
      <Choice
        label="Document"
        value={shown}
        options={[
          { value: 'none', label: 'Send the row as it is' },
          { value: 'pick', label: 'Pick a function' },
          { value: 'write', label: 'Write one' },
        ]}
        onChange={choose}
      />
      {shown === 'pick' && <FunctionKey path="transform" label="Transform" types={['transform', 'path']} />}
      {written !== null && <Writing written={written} onWrite={onWrite} />}
      {table !== undefined && entry.database !== '' && (
        <Samples database={entry.database} table={table} transform={entry.transform} code={written?.code} />
      )}
      <More label="Filter and routing functions">
        <FunctionKey path="filter" label="Filter" types={['filter']} hint="What it returns false for is not sent" />
        {kindOfType(entry.destination.type).isIndex && (
          <FunctionKey path="routing" label="Routing" types={['routing']} hint="Says the index of each message" />
        )}
      </More>
    </div>
  );
}

interface FunctionKeyProps {
  path: string;
  label: string;
  types: readonly string[];
  hint?: string;
}

export function FunctionKey({ path, label, types, hint }: FunctionKeyProps) {
  const { value, set, errors } = useField(path);
  const query = useGet('/api/functions', { query: { limit: 500 } });
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

function Writing({ written, onWrite }: { written: Written; onWrite: (written: Written) => void }) {
  return (
    <div className="space-y-3">
      <TextArea
        label="Code"
        hint="JavaScript or TypeScript: one function. What it returns is sent. Its page has an editor with more samples"
        rows={8}
        value={written.code}
        onChange={({ target }) => onWrite({ ...written, code: target.value })}
      />
      <div className="max-w-md">
        <Field
          label="Name of the function"
          value={written.name}
          placeholder="product-document"
          onChange={({ target }) => onWrite({ ...written, name: target.value })}
        />
      </div>
    </div>
  );
}
