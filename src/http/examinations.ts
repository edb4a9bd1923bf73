/**
 * The doctor looks once for all who ask the same, one look at a time: each opens connections to sources and search engines.
 * Whoever would wait for many others is refused.
 */
import type { Examination, ExamineRequest } from '../admin/doctor/examine.ts';
import { MillraceError } from '../model/errors.ts';
import { createSemaphore } from '../runtime/concurrency/semaphore.ts';
import { rememberedBy } from './remembered.ts';

export type Examine = (request: ExamineRequest) => Promise<Examination>;

/** How long an answer is given again. */
const KEEP_MS = 5_000;
const WAITING = 5;

export function rememberedExaminations(examine: Examine, keepMs = KEEP_MS): Examine {
  const alone = createSemaphore(1);
  let waiting = 0;
  const look = async (request: ExamineRequest): Promise<Examination> => {
    if (waiting >= WAITING)
      throw new MillraceError('too_many_requests', 'The doctor is asked too many things at once', {
        remedy: 'Try again after some seconds, or ask for everything in one request.',
      });
    waiting += 1;
    try {
      return await alone(() => examine(request));
    } finally {
      waiting -= 1;
    }
  };
  return rememberedBy(look, {
    keepMs,
    keyOf: ({ database, sink, quick }) => JSON.stringify([database, sink, quick]),
  });
}
