/** Test Connection of sinks and change retentions: of a draft, and of one that is stored. */
import { z } from 'zod';
import type { SinkList } from '../admin/find-sink.ts';
import { testDraftSink, testStoredSink } from '../admin/test-sink.ts';
import { readSinkDraft } from '../catalog/declare/requested-sink.ts';
import { NO_BODY, REF, type Route, writing } from './route.ts';
import { Tested, tested } from './test-connection.ts';

/** `what`: for people, `a sink`. */
export function testsOf({ path, list, what }: { path: string; list: SinkList; what: string }): Route[] {
  const draft = writing({
    method: 'POST',
    path: `${path}/test_connection`,
    scope: 'admin',
    summary: `Connects to where ${what} that is not stored yet would deliver to`,
    input: z.strictObject({}),
    body: z.looseObject({}).meta({ description: `The keys of an entry of \`${list}:\`` }),
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
    summary: `Connects to where ${what} delivers to`,
    input: z.strictObject({ sink: REF }),
    body: NO_BODY,
    answer: Tested,
    sql: null,
    run: async ({ outside }, { sink: ref }, asking) =>
      tested(await outside((on, signal) => testStoredSink(on, { list, ref }, signal)), asking),
  });
  return [draft, stored];
}
