/** Test Connection of sinks and change retentions: of a draft, and of one that is stored. */

import { z } from 'zod';
import type { SinkList } from '../admin/find-sink.ts';
import { testDraftSink, testEditedSink, testStoredSink } from '../admin/test-sink.ts';
import { readSinkDraft } from '../catalog/declare/requested-sink.ts';
import { changeBody } from './entry-body.ts';
import { REF, type Route, writing } from './route.ts';
import { refuseDraft, Tested, tested } from './test-connection.ts';

/** `what`: for people, `a sink`. */
export function testsOf({ path, list, what }: { path: string; list: SinkList; what: string }): Route[] {
  const draft = writing({
    method: 'POST',
    path: `${path}/test_connection`,
    scope: 'admin',
    summary: `Connects to the destination of ${what} that is not stored yet`,
    input: z.strictObject({}),
    body: changeBody(list),
    answer: Tested,
    sql: null,
    async run({ outside }, { body }, asking) {
      const wanted = readSinkDraft(list, body);
      return tested(await outside((on, signal) => testDraftSink(on, wanted, signal)), asking);
    },
  });
  const stored = writing({
    method: 'POST',
    path: `${path}/:sink/test_connection`,
    scope: 'operate',
    summary: `Connects to the destination of ${what}, as stored or as changed by the keys of a body`,
    input: z.strictObject({ sink: REF }),
    body: changeBody(list),
    answer: Tested,
    sql: null,
    async run({ outside }, { sink: ref, body }, asking) {
      const isStored = Object.keys(body).length === 0;
      if (!isStored) refuseDraft(asking);
      const checks = await outside((on, signal) =>
        isStored ? testStoredSink(on, { list, ref }, signal) : testEditedSink(on, { list, ref, body }, signal),
      );
      return tested(checks, asking);
    },
  });
  return [draft, stored];
}
