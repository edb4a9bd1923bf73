/** What an operator does to a sink or a change retention, also to one that the configuration file declares. */
import { z } from 'zod';
import { changeSink, dismissNotice, probeSink, type SinkVerb } from '../admin/change-sink.ts';
import { findSink, type SinkList } from '../admin/find-sink.ts';
import { type ListedSink, showSink } from '../admin/list-sinks.ts';
import { releaseOf } from './release.ts';
import { NO_BODY, type Permitted, REF, type Route, writing } from './route.ts';

export interface SinkPlace<Shape extends z.ZodType> {
  path: string;
  list: SinkList;
  /** For people: `a sink`. */
  what: string;
  answer: Shape;
  shown(sink: ListedSink, asking: Permitted): z.input<Shape>;
}

const SUMMARIES: Record<SinkVerb, (what: string) => string> = {
  pause: (what) => `Stops delivery to ${what}; its messages are kept`,
  resume: (what) => `Resumes delivery to ${what}`,
  disable: (what) => `Stops delivery to ${what}, and keeps no changes for it from now on`,
};
const VERBS = ['pause', 'resume', 'disable'] as const;
/** The audit log keeps it. */
const WHY = z.strictObject({ reason: z.string().max(1_000, 'has more than 1000 characters').optional() });

export function verbsOf<Shape extends z.ZodType>({ path, list, what, answer, shown }: SinkPlace<Shape>): Route[] {
  const verbs = VERBS.map((verb) =>
    writing({
      method: 'POST',
      path: `${path}/:sink/${verb}`,
      scope: 'operate',
      summary: SUMMARIES[verb](what),
      input: z.strictObject({ sink: REF }),
      body: WHY,
      answer,
      sql: `millrace.${verb}`,
      run: async ({ db }, { sink: ref, body: { reason } }, asking) =>
        shown(await changeSink(db, { verb, list, ref, reason }), asking),
    }),
  );
  const probe = writing({
    method: 'POST',
    path: `${path}/:sink/probe`,
    scope: 'operate',
    summary: `Tries the failing destination of ${what} again now, instead of within half a minute`,
    input: z.strictObject({ sink: REF }),
    body: NO_BODY,
    answer: z.looseObject({ probed: z.boolean() }),
    sql: 'millrace.probe',
    run: async (deps, { sink: ref }) => ({ probed: await probeSink(deps.db, { list, ref }) }),
  });
  const dismiss = writing({
    method: 'POST',
    path: `${path}/:sink/notices/:code/dismiss`,
    scope: 'operate',
    summary: `Dismisses notices of ${what} that do not go away by themselves`,
    input: z.strictObject({ sink: REF, code: z.string() }),
    body: NO_BODY,
    answer: z.looseObject({ dismissed: z.boolean() }),
    sql: 'millrace.dismiss',
    run: async (deps, { sink: ref, code }) => ({ dismissed: await dismissNotice(deps.db, { list, ref }, code) }),
  });
  const released = releaseOf({
    ...{ path: `${path}/:sink`, input: z.strictObject({ sink: REF }), what, answer },
    type: list === 'sinks' ? 'sink' : 'change_retention',
    find: async ({ db }, { sink: ref }) => await findSink(db, ref, list),
    show: async ({ db }, id, asking) => shown(await showSink(db, list, id), asking),
  });
  return [...verbs, probe, dismiss, ...released];
}
