/** What is wrong with a field, under it: sentences of the API that go on behind its name. */
import { sentence } from '../lib/format.ts';
import { Prose } from './code.tsx';

const VERB = /^(?:is|are|has|have|must|may|cannot|needs|names|does|was) /;

const whole = (fault: string): string => sentence(VERB.test(fault) ? `It ${fault}` : fault);

export function Faults({ errors, id }: { errors: readonly string[]; id?: string }) {
  return (
    <p id={id} className="mt-0.5 text-sm break-words text-danger">
      <Prose text={errors.map(whole).join(' ')} />
    </p>
  );
}
