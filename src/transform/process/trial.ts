/**
 * The synthetic message on which a function is tried when it is saved, and what of the outcome counts. Its row is not
 * the user's: a function that misses a column or gets no value out of it may be right. A name that does not exist, a
 * loop, a promise or another kind of value than the type asks for is a fault on any row.
 */
import type { FunctionSettings } from '../../model/declared.ts';
import type { FunctionInput } from '../../model/message.ts';
import type { Answer } from '../protocol/answer.ts';
import type { ShapeError } from '../protocol/shape-error.ts';
import { judgeFilter, judgeRouting, judgeTransform } from '../protocol/verdict.ts';

export const TRIAL: FunctionInput = {
  action: 'insert',
  record: '{"id":1}',
  changes: null,
  metadata: JSON.stringify({
    table_schema: 'public',
    table_name: 'example',
    commit_timestamp: '2025-01-01T00:00:00.000000Z',
    commit_lsn: 1,
    commit_idx: 0,
    database_name: 'example',
    consumer: { id: '00000000-0000-0000-0000-000000000000', name: 'example', annotations: {} },
    database: {
      id: '00000000-0000-0000-0000-000000000000',
      name: 'example',
      annotations: {},
      database: 'example',
      hostname: 'localhost',
    },
    idempotency_key: 'example',
    record_pks: ['1'],
    transaction_annotations: null,
  }),
};

/** What comes of a column that the made-up row lacks. */
const NO_VALUE = ['undefined', 'nothing', 'null', 'unnamed'];

/** Of a transform it is not known what sink it is for: whether it must return an object, its messages will show. */
export function trialError(fn: FunctionSettings, answer: Answer): ShapeError | undefined {
  if ('complaint' in answer && (answer.complaint.thrown ?? 'ReferenceError') !== 'ReferenceError') return undefined;
  if ('unusable' in answer && NO_VALUE.includes(answer.unusable)) return undefined;
  if ('text' in answer && answer.text === 'null') return undefined;
  const verdict =
    fn.type === 'filter'
      ? judgeFilter(fn, answer)
      : fn.type === 'routing'
        ? judgeRouting(fn, answer)
        : judgeTransform(fn, answer, false);
  return 'error' in verdict ? verdict.error : undefined;
}
