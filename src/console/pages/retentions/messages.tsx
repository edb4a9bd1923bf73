/** The tab of a change retention. */
import { Messages } from '../messages/messages.tsx';
import { placeOf } from '../messages/place.ts';
import { useRetention } from './use-retention.ts';

export function RetentionMessages() {
  return <Messages place={placeOf('/change-retentions', useRetention())} />;
}
