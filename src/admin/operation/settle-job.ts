/**
 * Messages that failed, put back or given up however many they are: a thousand in a transaction, together with the place behind
 * the last one and how many they were. Dies the worker on any line, another one goes on at that place: none is taken twice, though
 * one that was put back may have failed again, and the count is true. What came after it was asked for is left alone.
 */

import { type Statement, statement } from '../../db/statement.ts';
import { count as shownCount } from '../../model/quantity.ts';
import { failpoint } from '../../runtime/failpoint.ts';
import type { MessageFilter } from '../list-messages.ts';
import { AT_ONCE, findFailed, type MessageVerb } from '../settle-messages.ts';
import type { Held } from './held.ts';
import type { Work } from './runner.ts';

const SETTLE: Record<MessageVerb, Statement> = {
  retry: statement('admin/operation/retry-messages'),
  discard: statement('admin/operation/discard-messages'),
};
const DONE: Record<MessageVerb, string> = { retry: 'put back', discard: 'given up' };

/** `begin_settling` writes it. */
interface Request {
  filter: MessageFilter;
  /** The highest id. */
  up_to: number;
  expected_count?: number;
}

interface Place {
  /** The id behind which it goes on. */
  after: number;
  count: number;
}

export const settleWork =
  (verb: MessageVerb): Work =>
  async (held) => {
    const { filter, up_to: upTo, ...expected } = held.request as Record<string, unknown> & Request;
    const show = shownBy(held, verb, expected.expected_count);
    let place = (held.kept ?? { after: 0, count: 0 }) as Place;
    for (let after: number | null = place.after; after !== null && after < upTo; ) {
      show(place.count);
      held.signal.throwIfAborted();
      const found = await findFailed(held.db, { sinkNo: held.sink_no!, verb, filter, after });
      const ids = found.ids.filter((id) => id <= upTo);
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        held.signal.throwIfAborted();
        place = await settleThousand(held, verb, { place, ids: ids.slice(at, at + AT_ONCE) });
        failpoint('settle/after-thousand');
        show(place.count);
      }
      after = found.last;
    }
    return { state: 'done', result: { count: place.count } };
  };

async function settleThousand(
  held: Held,
  verb: MessageVerb,
  { place, ids }: { place: Place; ids: readonly number[] },
): Promise<Place> {
  return await held.within(async (tx) => {
    const { rows } = await tx.query<{ count: number }>(SETTLE[verb], [held.sink_no, ids]);
    const next = { after: ids.at(-1)!, count: place.count + rows[0]!.count };
    await held.keepWith(tx, next);
    return next;
  });
}

/** `total`: what was expected when it was asked for. */
function shownBy(held: Held, verb: MessageVerb, total: number | undefined): (done: number) => void {
  const begun = performance.now();
  let first: number | undefined;
  return (done) => {
    first ??= done;
    const seconds = (performance.now() - begun) / 1_000;
    const perSecond = seconds < 1 || done === first ? null : Math.round((done - first) / seconds);
    const left = total === undefined || perSecond === null ? null : Math.max(0, Math.round((total - done) / perSecond));
    const of = total === undefined ? '' : ` of ${shownCount(total)}`;
    held.show({
      phase: 'settling',
      progress: {
        ...{ table: null, done, sent: 0, total: total ?? null, per_second: perSecond, seconds_left: left },
        percent: total === undefined || total === 0 ? null : Math.min(99, Math.floor((100 * done) / total)),
      },
      lines: [`${shownCount(done)}${of} messages ${DONE[verb]}`],
    });
  };
}
