/** What is wrong with a field, under it: sentences of the API that go on behind its name. */
import { sentence } from '../lib/format.ts';
import { Prose } from './code.tsx';

const VERB = /^(?:is|are|has|have|must|may|cannot|needs|names|does|was) /;

/** What the file has as a key is a field here. */
const KEY = /^(is missing)\. Add `\w+:`\.$/;
const NONE = /^is an empty list, which matches nothing\. .*$/;

export const withoutKeys = (fault: string): string => fault.replace(KEY, '$1').replace(NONE, 'needs at least one');

const whole = (fault: string): string => {
  const plain = withoutKeys(fault);
  return sentence(VERB.test(plain) ? `It ${plain}` : plain);
};

export function Faults({ errors, id }: { errors: readonly string[]; id?: string }) {
  return (
    <p id={id} className="mt-0.5 text-sm break-words text-danger">
      <Prose text={errors.map(whole).join(' ')} />
    </p>
  );
}
