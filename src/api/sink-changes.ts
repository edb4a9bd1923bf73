/** Sinks and change retentions are made, edited and deleted. */
import { z } from 'zod';
import { createSink, editSink, eraseSink, isStatusAlone } from '../admin/edit-sink.ts';
import { showSink } from '../admin/list-sinks.ts';
import { planSink } from '../admin/plan-sink.ts';
import { testDraftSink } from '../admin/test-sink.ts';
import { MillraceError } from '../model/errors.ts';
import { Created } from './created.ts';
import { changeBody, entryBody } from './entry-body.ts';
import { type ApiDeps, type Asking, NO_BODY, REF, type Route, writing } from './route.ts';
import type { SinkPlace } from './sink-verbs.ts';
import { tested } from './test-connection.ts';

const Flag = z
  .enum(['true', 'false'], 'must be true or false')
  .optional()
  .transform((text) => text === 'true');

const Deleted = z.looseObject({
  ...{ id: z.uuid(), name: z.string(), deleted: z.literal(true), success: z.literal(true) },
  ...{ pending: z.number(), parked: z.number(), left: z.array(z.string()), warnings: z.array(z.string()) },
});

const Planned = z.looseObject({
  diff: z.array(z.object({ path: z.string(), old: z.unknown(), new: z.unknown() })),
  yaml: z.string(),
  warnings: z.array(z.string()),
});

export function changesOf<Shape extends z.ZodType>(place: SinkPlace<Shape>): Route[] {
  const { path, list, what } = place;
  const answer = place.answer;
  const shownWith = async ({ db }: ApiDeps, id: string, { asking, warnings }: Showing) => ({
    ...(place.shown(await showSink(db, list, id), asking) as object),
    warnings,
  });
  const create = writing({
    method: 'POST',
    path,
    scope: 'admin',
    summary: list === 'sinks' ? `Creates ${what}; a search index only if Test Connection succeeds` : `Creates ${what}`,
    input: z.strictObject({ test: z.enum(['true', 'false'], 'must be true or false').optional() }),
    ...{ body: entryBody(list), answer },
    creates: list === 'sinks' ? 200 : 201,
    sql: null,
    async run(deps, { test, body: given }, asking) {
      const tryOut = async (draft: Parameters<typeof testDraftSink>[1]): Promise<void> =>
        void tested(await deps.outside((on, signal) => testDraftSink(on, draft, signal)), asking);
      const { id, warnings } = await createSink(
        { ...deps.config, db: deps.db },
        { list, body: given },
        test === 'false' ? null : tryOut,
      );
      return new Created(`${path}/${id}`, (await shownWith(deps, id, { asking, warnings })) as z.input<Shape>);
    },
  });
  const edits = (['PATCH', 'PUT'] as const).map((method) =>
    writing({
      method,
      path: `${path}/:sink`,
      scope: 'operate',
      summary: `Changes ${what}: the given keys replace the stored ones, null restores the default. Everything but \`status\` needs \`admin\``,
      input: z.strictObject({ sink: REF }),
      ...{ body: changeBody(list), answer },
      sql: null,
      async run(deps, { sink: ref, body: given }, asking) {
        if (!isStatusAlone(given)) refuseOperator(asking);
        const { ifMatch } = asking;
        const apply = { ...deps.config, db: deps.db };
        const { id, warnings } = await editSink(apply, { list, ref, body: given, ifMatch });
        return (await shownWith(deps, id, { asking, warnings })) as z.input<Shape>;
      },
    }),
  );
  return [create, ...edits, deletionOf(place), ...plansOf(place)];
}

interface Showing {
  asking: Asking;
  warnings: string[];
}

/** Written while somebody fills a form: nothing is stored, and no destination is asked. */
function plansOf<Shape extends z.ZodType>({ path, list, what }: SinkPlace<Shape>): Route[] {
  const shared = { method: 'POST', scope: 'admin', body: changeBody(list), answer: Planned, sql: null } as const;
  return [
    writing({
      ...{ ...shared, path: `${path}/plan`, summary: `Checks ${what} that is not stored yet, and shows its YAML` },
      input: z.strictObject({}),
      run: async ({ db, config }, { body }) => ({ ...(await planSink({ ...config, db }, { list, body })) }),
    }),
    writing({
      ...{ ...shared, path: `${path}/:sink/plan` },
      summary: `Shows what these keys would change in ${what}, and the resulting YAML; also for one that the file declares`,
      input: z.strictObject({ sink: REF }),
      run: async ({ db, config }, { sink: ref, body }) => ({
        ...(await planSink({ ...config, db }, { list, ref, body })),
      }),
    }),
  ];
}

const deletionOf = <Shape extends z.ZodType>({ path, list, what }: SinkPlace<Shape>): Route =>
  writing({
    method: 'DELETE',
    path: `${path}/:sink`,
    scope: 'admin',
    summary: `Deletes ${what} with its messages`,
    input: z.strictObject({ sink: REF, force: Flag, release: Flag }),
    body: NO_BODY,
    answer: Deleted,
    sql: null,
    async run({ db, config }, { sink: ref, force, release }, { ifMatch }) {
      const gone = await eraseSink({ db, keys: config.keys }, { list, ref, force, release, ifMatch });
      await config.freeStorage();
      return { ...gone, deleted: true as const, success: true as const };
    },
  });

/** @throws MillraceError forbidden */
function refuseOperator(asking: Asking): void {
  if (asking.may('admin')) return;
  throw new MillraceError('forbidden', 'The token does not have the scope `admin`', {
    remedy: 'An operator changes `status` alone.',
    facts: { needs: 'admin' },
  });
}
