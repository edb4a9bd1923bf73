/** The regular look at a source got no answer. */
import { connectionFault, DECLARED_DATABASE } from '../model/connection-fault.ts';
import { messageOf } from '../model/errors.ts';
import { isFull } from '../model/sqlstate.ts';
import { byHand, type Finding, warning } from './finding.ts';

const LOCKED =
  "It is tried again each 30 s. Who keeps what locked: select pid, wait_event, query from pg_stat_activity where state <> 'idle'";

/** No reason to end a stream: its own watchdog knows of a dead connection. */
export const unanswered = (error: unknown): Finding =>
  warning(
    'unchecked',
    `capture continues, but the source could not be checked: ${messageOf(error)}`,
    byHand((isFull(error) && connectionFault(error, DECLARED_DATABASE)?.remedy) || LOCKED),
  );
