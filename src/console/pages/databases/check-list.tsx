/** Checks of a database one by one: what is well in a line, what is not with the statement that fixes it. */
import type { Schemas } from '../../api/client.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton, Prose } from '../../parts/code.tsx';
import { State } from '../../parts/icons.tsx';
import { Remedy } from '../../parts/remedy.tsx';
import { serviceRemedy } from './address.ts';
import type { Draft } from './draft.ts';

export type Check = Schemas['Check'];

interface CheckListProps {
  checks: readonly Check[];
  /** How a managed service does it depends on whose host it is. */
  hostname: string;
  /** Looks once more, after somebody has run something. */
  again?: () => void;
  busy?: boolean;
  /** Where there is no check to show. */
  nothing?: string;
  /** In a form: by the id of a check, what to do there in place of the key that its remedy names. */
  inForm?: Readonly<Record<string, string>>;
}

export function CheckList(props: CheckListProps) {
  const { checks, hostname, again, busy = false, nothing = 'No problems found.', inForm = {} } = props;
  if (checks.length === 0) return <p className="text-muted">{nothing}</p>;
  return (
    <ul aria-label="Checks" className="divide-y divide-line rounded-md border border-line">
      {checks.map((check) => (
        <li key={check.key} className="flex gap-x-4 gap-y-1 px-3 py-1.5 max-sm:flex-wrap">
          <span className="w-24 shrink-0">
            <State state={check.status === 'error' ? 'check_error' : check.status} />
          </span>
          <div className="min-w-0 flex-1 max-sm:basis-full">
            <Said
              check={{ ...check, remedy: inForm[check.id] ?? check.remedy }}
              service={serviceRemedy(hostname, check.id)}
            />
            {again !== undefined && check.status === 'error' && (
              <p className="mt-1 mb-1">
                <Button busy={busy} onClick={again}>
                  {check.sql === null ? 'Check again' : 'I ran it, check again'}
                </Button>
              </p>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Said({ check, service }: { check: Check; service: string | null }) {
  const { command } = check;
  return (
    <>
      <Remedy finding={check} />
      {service !== null && (
        <p className="text-text">
          <Prose text={service} />
        </p>
      )}
      {command !== null && check.sql === null && (
        <p className="mt-1">
          <CopyButton text={command} label="Copy command" />
        </p>
      )}
    </>
  );
}

/** What is looked at, while nobody knows yet how it is. */
const ALWAYS = ['address and login', 'encryption', 'version'];
const LOOKED_AT: Readonly<Record<Draft['capture'], readonly string[]>> = {
  replication: [
    ...ALWAYS,
    ...[
      'wal_level',
      'may replicate',
      'output plugin',
      'free slots',
      'free WAL senders',
      'slot',
      'publication',
      'tables',
    ],
  ],
  triggers: [...ALWAYS, 'publication', 'triggers', 'tables'],
};

export function Checking({ capture }: Pick<Draft, 'capture'>) {
  return (
    <ul role="status" aria-label="Checking" className="divide-y divide-line rounded-md border border-line text-muted">
      {LOOKED_AT[capture].map((what) => (
        <li key={what} className="flex gap-4 px-3 py-1.5">
          <span className="w-24 shrink-0">
            <State state="waiting" word="Checking" />
          </span>
          {what}
        </li>
      ))}
    </ul>
  );
}
