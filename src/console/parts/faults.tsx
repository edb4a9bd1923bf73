/** What is wrong with a field, under it: sentences of the API that go on behind its name. */
import { sentence } from '../lib/format.ts';
import { Prose } from './code.tsx';

const VERB = /^(?:is|are|has|have|must|may|cannot|needs|names|does|was) /;

/** The key of a file that is missing is a field here, the one above. */
const KEY = /^(is missing)\. Add `\w+:`\.$/;

const whole = (fault: string): string => sentence(VERB.test(fault) ? `It ${fault.replace(KEY, '$1')}` : fault);

export function Faults({ errors, id }: { errors: readonly string[]; id?: string }) {
  return (
    <p id={id} className="mt-0.5 text-sm break-words text-danger">
      <Prose text={errors.map(whole).join(' ')} />
    </p>
  );
}
