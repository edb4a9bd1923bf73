/**
 * Whose fault is an error? A row's (it is parked alone), the destination's (everything waits, nothing is touched), or
 * our own (undefined: it must not be hidden). Only SQLSTATE and message are kept: Postgres puts row values into detail
 * and where, and after a colon into the message of some casts.
 */
import { connectionFault, DECLARED_DATABASE, UnsafeConnection } from '../../model/connection-fault.ts';
import { MillraceError, messageOf } from '../../model/errors.ts';
import { outsideText } from '../../model/outside-text.ts';
import { refusalText } from '../../model/refusal.ts';
import { remedyForWriting } from '../../model/remedies.ts';
import type { Circuit } from '../../model/sink.ts';
import {
  isAboutTable,
  isConnectionEnded,
  isConstraintViolation,
  isForbidden,
  isFull,
  isLockTimeout,
  isRaised,
  isRefusedByPolicy,
  isRolledBack,
  isServerError,
  isValueRefused,
  type ServerError,
} from '../../model/sqlstate.ts';

export type Verdict =
  /** `alike`: so many in a row, of which none passes, are the table's fault: a check or a trigger that refuses them all. */
  | { kind: 'row'; error: string; alike: number }
  /** `look`: the table itself may be at fault, so comparing its columns can say more. */
  | { kind: 'circuit'; circuit: Circuit; look: boolean };

/** A row was refused, and it turned out to be the table's doing. */
export class TableAtFault extends Error {
  readonly circuit: Circuit;
  constructor(circuit: Circuit) {
    super(circuit.error);
    this.circuit = circuit;
  }
}

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
    const text = {
      message: found?.message ?? messageOf(error),
      remedy: found?.remedy ?? 'Check that the server runs.',
    };
    return circuit(reason, text, found?.id === 'destination_denied' ? { isDenied: true } : {});
  }
  const message = refusalText(error);
  const alike = alikeOf(error);
  if (alike !== undefined) return { kind: 'row', error: cut(message), alike };
  const remedy = found?.remedy ?? remedyForWriting(error) ?? '';
  const isSoonOver = isRolledBack(error) || isLockTimeout(error) || isFull(error);
  return circuit(
    reasonOf(error),
    { message, remedy },
    {
      look: isAboutTable(error),
      ...(isSoonOver ? { retryAfterMs: RETRY_SOON_MS } : {}),
    },
  );
}

/** A circuit's text from parts, each on what is wrong and what to do. */
export function circuitText(parts: readonly { message: string; remedy: string }[]): string {
  return cut(parts.map(({ message, remedy }) => (remedy === '' ? message : `${message}. ${remedy}`)).join('\n'));
}

/** As long as an error may be. */
export const cut = (text: string): string => outsideText(text, { max: MAX_ERROR });

function circuit(
  reason: Circuit['reason'],
  text: { message: string; remedy: string },
  options: { look?: boolean; retryAfterMs?: number; isDenied?: true } = {},
): Verdict {
  const { look = false, ...rest } = options;
  return { kind: 'circuit', circuit: { reason, error: circuitText([text]), ...rest }, look };
}

/**
 * What jsonb refuses (data, sizes, nesting) is the row's alone. A constraint of the user's refuses a row, or all of them; a
 * missing partition comes without a name. What a trigger raises, or a policy of row level security, may be about either.
 */
function alikeOf(error: ServerError): number | undefined {
  const { constraint } = error;
  if (isValueRefused(error)) return Number.POSITIVE_INFINITY;
  if (isConstraintViolation(error) && constraint !== undefined) return 8;
  if (isRaised(error) || isRefusedByPolicy(error)) return 1;
  return undefined;
}

function reasonOf(error: ServerError): Circuit['reason'] {
  if (isForbidden(error)) return 'auth_failed';
  if (isConnectionEnded(error) || isFull(error)) return 'unreachable';
  return 'bad_destination';
}
