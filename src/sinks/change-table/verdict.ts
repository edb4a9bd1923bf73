/**
 * Whose fault is an error? A row's (it is parked alone), the destination's (everything waits, nothing is touched), or
 * our own (undefined: it must not be hidden). Only SQLSTATE and message are kept: Postgres puts row values into detail
 * and where, and after a colon into the message of some casts.
 */
import { connectionFault, DECLARED_DATABASE, UnsafeConnection } from '../../model/connection-fault.ts';
import { MillraceError, messageOf } from '../../model/errors.ts';
import { outsideText } from '../../model/outside-text.ts';
import { refusalText } from '../../model/refusal.ts';
import type { Circuit } from '../../model/sink.ts';

export type Verdict =
  /** `alike`: so many in a row, of which none passes, are the table's fault: a check or a trigger that refuses them all. */
  | { kind: 'row'; error: string; alike: number }
  /** `look`: the table itself may be at fault, so comparing its columns can say more. */
  | { kind: 'circuit'; circuit: Circuit; look: boolean };

interface ServerError extends Error {
  code: string;
  constraint?: string;
  /** Postgres' own function that refused it, in every language. */
  routine?: string;
}

/** A row was refused, and it turned out to be the table's doing. */
export class TableAtFault extends Error {
  readonly circuit: Circuit;
  constructor(circuit: Circuit) {
    super(circuit.error);
    this.circuit = circuit;
  }
}

/** What connectionFault does not know, by prefix of the SQLSTATE, the first that fits (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
const REMEDIES: [string, string][] = [
  ['25006', 'The server is read-only, as a standby is: name the primary as the destination.'],
  ['42501', 'Grant the right to the role, or declare a role that has it.'],
  ['53100', 'Free disk space on the destination server.'],
  ['53', 'Raise that limit of the destination server, or take load off it.'],
  ['55P03', 'Another session holds a lock on the table: see pg_locks. It is tried again until the lock is gone.'],
  ['57014', 'The destination was too slow, or a session holds a lock: see pg_stat_activity there.'],
  ['40', 'Another transaction was in the way. It is tried again.'],
  ['23514', 'Create the partition that this time needs.'],
];

const RETRY_SOON = ['40', '55P03', '53300'];
const RETRY_SOON_MS = 2_000;
const MAX_ERROR = 4_000;

/** Undefined for an error that is neither the row's nor the destination's. */
export function judge(error: unknown): Verdict | undefined {
  if (!(error instanceof Error) || error instanceof MillraceError) return undefined;
  if (error instanceof TableAtFault) return { kind: 'circuit', circuit: error.circuit, look: false };
  const found = connectionFault(error, DECLARED_DATABASE);
  if (!isServerError(error)) {
    // A fault in our own code; what is left is how Node and pg report a connection that fails.
    if (/^(Type|Range|Reference|Syntax)Error$/.test(error.name)) return undefined;
    const reason = error instanceof UnsafeConnection ? 'bad_destination' : 'unreachable';
    return circuit(reason, found?.message ?? messageOf(error), found?.remedy ?? 'Check that the server runs.');
  }
  const text = refusalText(error);
  const alike = alikeOf(error);
  if (alike !== undefined) return { kind: 'row', error: cut(text), alike };
  const remedy = found?.remedy ?? REMEDIES.find(([prefix]) => error.code.startsWith(prefix))?.[1] ?? '';
  return circuit(reasonOf(error.code), text, remedy, {
    look: /^(42|3F|23)/.test(error.code),
    ...(RETRY_SOON.some((prefix) => error.code.startsWith(prefix)) ? { retryAfterMs: RETRY_SOON_MS } : {}),
  });
}

/** A circuit's text from parts, each on what is wrong and what to do. */
export function circuitText(parts: readonly { message: string; remedy: string }[]): string {
  return cut(parts.map(({ message, remedy }) => (remedy === '' ? message : `${message}. ${remedy}`)).join('\n'));
}

/** As long as an error may be. */
export const cut = (text: string): string => outsideText(text, { max: MAX_ERROR });

function circuit(
  reason: Circuit['reason'],
  message: string,
  remedy: string,
  options: { look?: boolean; retryAfterMs?: number } = {},
): Verdict {
  const { look = false, ...rest } = options;
  return { kind: 'circuit', circuit: { reason, error: circuitText([{ message, remedy }]), ...rest }, look };
}

/**
 * What jsonb refuses (data, sizes, nesting) is the row's alone. A constraint of the user's refuses a row, or all of them; a
 * missing partition comes without a name. What a trigger raises, or a policy of row level security, may be about either.
 */
function alikeOf({ code, constraint, routine }: ServerError): number | undefined {
  if (/^(22|54)/.test(code)) return Number.POSITIVE_INFINITY;
  if (['23503', '23505', '23514', '23P01'].includes(code) && constraint !== undefined) return 8;
  if (/^(P0|38|39)/.test(code) || (code === '42501' && routine === 'ExecWithCheckOptions')) return 1;
  return undefined;
}

function reasonOf(code: string): Circuit['reason'] {
  if (code.startsWith('28') || code === '42501') return 'auth_failed';
  if (/^(08|57P|25P)/.test(code) || code === '53300') return 'unreachable';
  return 'bad_destination';
}

function isServerError(error: Error): error is ServerError {
  return 'severity' in error && 'code' in error && typeof error.code === 'string' && error.code.length === 5;
}
