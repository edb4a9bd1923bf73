/** A server that cannot be reached, or not used as it is: by what the network, TLS or the server itself said. */
import type { Place } from '../model/connection-causes.ts';
import { connectionFault } from '../model/connection-fault.ts';
import { MillraceError, messageOf } from '../model/errors.ts';
import { byHand, type Finding, fault } from './finding.ts';

/** `what`: who cannot be reached. `isPooled`: sessions there are not ours alone, or carry no replication. */
export function checkReach(
  error: unknown,
  place: Place,
  { what, isPooled }: { what: string; isPooled: boolean },
): Finding {
  const said = error instanceof MillraceError ? (error.cause ?? error) : error;
  const found = connectionFault(said, place);
  const words = found?.message ?? messageOf(error);
  const remedy = (error instanceof MillraceError ? error.remedy : undefined) ?? found?.remedy;
  const id = isPooled ? 'pooled' : (found?.id ?? 'unreachable');
  return fault(id, `${what} cannot be used: ${words}`, byHand(remedy ?? `Check ${place.host}, and the server's log.`));
}
