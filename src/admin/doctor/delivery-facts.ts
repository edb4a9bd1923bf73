/** What the checks of delivery are decided from, of a sink as the lists have it. */
import { kindOfType } from '../../sinks/kinds.ts';

interface Listed {
  kind: string;
  failing_since: Date | null;
}

export const deliveryFactsOf = <Sink extends Listed>(sink: Sink): Sink & { isFailing: boolean; isPulled: boolean } => ({
  ...sink,
  isFailing: sink.failing_since !== null,
  isPulled: kindOfType(sink.kind)?.traits.receivable === true,
});
