/** What becomes of a row before it is sent: as it is, or shaped by a function; filtered and routed, where that is wanted. */
import { lazy, Suspense, useState } from 'react';
import { loaded } from '../../../lib/code.ts';
import { Choice, Field } from '../../../parts/field.tsx';
import { More } from '../../../parts/form/controls.tsx';
import { faultsAt } from '../../../parts/form/form.tsx';
import { Skeleton } from '../../../parts/places.tsx';
import { TYPES } from '../../functions/types.ts';
import { FunctionKey } from './function-key.tsx';
import { Samples } from './samples.tsx';
import { useSinkForm } from './sink-form.ts';
import { type AllWritten, proposedFunction, USES, type Use, usesOf, type Written } from './uses.ts';

/** With the editor, which is large: loaded once somebody writes. */
const Workbench = lazy(async () => ({
  default: (await loaded(() => import('../../functions/workbench.tsx'))).Workbench,
}));

interface FunctionPartProps {
  written: AllWritten;
  /** Undefined: nothing is written for that use any more. */
  onWrite: (use: Use, written: Written | undefined) => void;
}

export function FunctionPart({ written, onWrite }: FunctionPartProps) {
  const { entry } = useSinkForm();
  const table = entry.source.include_tables?.[0];
  const others = usesOf(entry).filter((use) => use !== 'transform');
  const [isOpen] = useState(others.some((use) => entry[use] !== 'none' || written[use] !== undefined));
  return (
    <div className="space-y-3">
      <FunctionUse use="transform" legend="Document" written={written.transform} onWrite={onWrite} />
      {written.transform === undefined && table !== undefined && entry.database !== '' && (
        <Samples database={entry.database} table={table} transform={entry.transform} />
      )}
      <More label={others.length > 1 ? 'Filter and routing functions' : 'Filter function'} isOpen={isOpen}>
        {others.map((use) => (
          <div key={use} className="space-y-3 sm:col-span-2">
            <FunctionUse use={use} legend={USES[use].label} written={written[use]} onWrite={onWrite} />
          </div>
        ))}
      </More>
    </div>
  );
}

interface FunctionUseProps {
  use: Use;
  legend: string;
  written: Written | undefined;
  onWrite: FunctionPartProps['onWrite'];
}

function FunctionUse({ use, legend, written, onWrite }: FunctionUseProps) {
  const { entry, set } = useSinkForm();
  const [isPicking, setPicking] = useState(false);
  const isPicked = isPicking || entry[use] !== 'none';
  const choose = (next: string): void => {
    setPicking(next === 'pick');
    if (next !== 'pick') set(use, 'none');
    onWrite(use, next === 'write' ? { name: '', code: TYPES[use].code } : undefined);
  };
  return (
    <>
      <Choice
        label={legend}
        value={written !== undefined ? 'write' : isPicked ? 'pick' : 'none'}
        options={[
          { value: 'none', label: USES[use].none },
          { value: 'pick', label: 'Use an existing function' },
          { value: 'write', label: 'Write a function' },
        ]}
        onChange={choose}
      />
      {written === undefined && isPicked && <FunctionKey use={use} />}
      {written !== undefined && <Writing use={use} written={written} onWrite={onWrite} />}
    </>
  );
}

/** Tried on rows of the first table that is chosen, or of another one of the same database. */
function Writing({ use, written, onWrite }: Omit<FunctionUseProps, 'legend' | 'written'> & { written: Written }) {
  const { entry, faults } = useSinkForm();
  const { database, source } = entry;
  const table = source.include_tables?.[0];
  const codeFaults = faultsAt(faults, `${use}.code`);
  return (
    <div className="space-y-3">
      <Suspense fallback={<Skeleton lines={8} />}>
        <Workbench
          key={`${database} ${table}`}
          type={use}
          code={written.code}
          onChange={(code) => onWrite(use, { ...written, code })}
          source={table === undefined || database === '' ? null : { from: 'rows', database, table }}
          database={database}
        />
      </Suspense>
      {codeFaults && <p className="text-sm text-danger">{codeFaults.join('; ')}</p>}
      <div className="max-w-md">
        <Field
          label={`Name of the ${USES[use].label.toLowerCase()}`}
          value={written.name}
          placeholder={proposedFunction(use, entry)}
          errors={faultsAt(faults, `${use}.name`)}
          onChange={({ target }) => onWrite(use, { ...written, name: target.value })}
        />
      </div>
    </div>
  );
}
