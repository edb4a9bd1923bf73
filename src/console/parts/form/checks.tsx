/** What was found where a sink or a change retention delivers to. */
import { ApiError, type Schemas } from '../../api/client.ts';
import { Code } from '../code.tsx';
import { State } from '../icons.tsx';
import { Remedy } from '../remedy.tsx';

export type Check = Schemas['Check'];

/** Of a refusal: what was found, the worst first. */
export const checksOf = (error: unknown): readonly Check[] =>
  error instanceof ApiError && Array.isArray(error.body.checks) ? (error.body.checks as Check[]) : [];

/** `curl`: what makes an index that is missing. */
export function Checks({ checks, curl }: { checks: readonly Check[]; curl?: string | undefined }) {
  return (
    <ul className="space-y-2">
      {checks.map((check) => (
        <li key={check.key} className="flex flex-wrap items-start gap-x-4 gap-y-1">
          <State state={check.status === 'error' ? 'check_error' : check.status} />
          <div className="min-w-0 flex-1 basis-72">
            <Remedy finding={check} />
            {check.id === 'index_missing' && curl !== undefined && <Code text={curl} name="curl" />}
          </div>
        </li>
      ))}
    </ul>
  );
}
