/** A destination to which nothing can be delivered until somebody acts. */
import type { Circuit } from '../model/sink.ts';
import { type Answered, byHand, fault } from './finding.ts';

const CAUSES: Record<Circuit['reason'], { what: string; remedy: string }> = {
  unreachable: {
    what: 'there is no connection to it, or no complete answer',
    remedy: 'Check its address, the network and TLS, and that it runs.',
  },
  auth_failed: {
    what: 'it refuses the credential, or a right is missing',
    remedy: 'Correct `auth_value`, or give the role what its answer says.',
  },
  index_missing: { what: 'the index does not exist', remedy: 'Create it, with its mapping.' },
  overloaded: { what: 'it has too much to do', remedy: 'Wait, or reduce its load; a smaller batch_size helps.' },
  bad_destination: {
    what: 'it is not set up to take messages',
    remedy: 'Its answer says what is wrong, and what to do.',
  },
};

/** `reason` of another release is shown as it is. */
export function checkCircuit(circuit: { reason: string; error: string | null; isDenied?: boolean }): Answered {
  const { reason, error } = circuit;
  if (circuit.isDenied) {
    const remedy = 'Name another address; if it is private and yours, add its network to `ALLOW_PRIVATE_DESTINATIONS`.';
    const summary = 'nothing can be delivered: its address is one that may not be connected to';
    return { ...fault('destination_denied', summary, byHand(remedy)), answer: error };
  }
  const { what, remedy } = CAUSES[reason as Circuit['reason']] ?? { what: reason, remedy: 'See its answer.' };
  return { ...fault(reason, `nothing can be delivered: ${what}`, byHand(remedy)), answer: error };
}
