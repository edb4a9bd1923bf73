/** Changes as triggers have noted them in tables of the source (source/triggers/). */
import { NOTED } from '../../checks/noted-continuity.ts';
import { capturedNothing } from '../../checks/triggers.ts';
import { readPlan } from '../../messages/plan.ts';
import { readPosition } from '../../messages/position.ts';
import { quoteLiteral } from '../../model/quote.ts';
import type { Look } from '../../source/read-changes.ts';
import { truncateRead } from '../../source/triggers/truncate-read.ts';
import type { CapturedDatabase, Way } from '../method.ts';
import type { WayDeps } from '../replication/way.ts';
import { WATERMARK } from '../windows.ts';
import { openEmptying } from './emptying.ts';
import { PLAN, planOf, storeSql } from './plan.ts';
import { checkNoted, prepareNoted } from './prepare.ts';
import { openTriggerStream } from './stream.ts';

/** `isLast`: the stream ends when what this look has found is persisted. */
export function openTriggers(
  { source, options, messages, log }: WayDeps,
  database: CapturedDatabase,
  isLast?: (look: Look) => Promise<boolean>,
): Way {
  const { no } = database;
  let generated = false;
  const emptying = openEmptying((snapshot) => truncateRead(source, { snapshot }), log);
  return {
    slotName: NOTED,
    isEarly: false,
    isRetold: true,
    async prepare() {
      const prepared = await prepareNoted({ source, messages }, database);
      generated = prepared.publication.generated === 's';
      return prepared;
    },
    async check(now) {
      const prepared = await checkNoted({ source, messages }, now);
      generated = prepared.publication.generated === 's';
      return prepared;
    },
    open(handlers, raw) {
      const stream = openTriggerStream(
        {
          ...handlers,
          onSwitchedOff: (rel) => handlers.onMissed(rel, 'capture_switched_off', capturedNothing),
          onUnreadable: (rel) =>
            handlers.onMissed(
              rel,
              'values_left_out',
              ({ schema, name }) =>
                `${schema}.${name}: a change was noted in a form that cannot be read, and is missing`,
            ),
          onRead: (plan) => emptying.read(plan.to),
        },
        {
          source: options,
          ...{ raw, generated: () => generated, beside: source },
          ...(isLast && { isLast }),
          async begin() {
            const plan = await readPlan(messages, no);
            const position = await readPosition(messages, no);
            if (!plan || !position) throw new Error('the position of this database is gone');
            const { commitLsn, confirmedLsn } = position;
            const isFurther = confirmedLsn > commitLsn;
            return { plan, after: isFurther ? confirmedLsn : commitLsn };
          },
        },
      );
      const close = async (): Promise<void> => {
        emptying.stop();
        await stream.close();
      };
      return { ...stream, close };
    },
    // A look may take long: that the server answers at all is what can be known.
    async isIdle() {
      await source.query('select');
      return false;
    },
    progress: { prefix: PLAN, sqlOf: (content) => storeSql(no, planOf(content)) },
    // Waits for no standby: whoever reads sees it as soon as anybody does.
    watermarkSql: (token) =>
      `set local synchronous_commit = local; select millrace_capture.message('${WATERMARK}', ${quoteLiteral(token)})`,
  };
}
