/** Test Connection of source databases: of a draft, and of one that is stored. */

import { z } from 'zod';
import { testDraftDatabase, testEditedDatabase, testStoredDatabase } from '../admin/test-database.ts';
import { merged } from '../catalog/declare/merge.ts';
import { databaseKeys, readDatabase } from '../catalog/declare/requested-database.ts';
import { isKey } from '../model/section.ts';
import { changeBody } from './entry-body.ts';
import { REF, type Route, writing } from './route.ts';
import { refuseDraft, Tested, tested } from './test-connection.ts';

const PATH = '/api/postgres_databases';

/** An entry of `databases:`, whatever of it is there: the declaration's own reader says what is wrong with it. */
const Draft = changeBody('databases');

const draftRoute = writing({
  method: 'POST',
  path: `${PATH}/test_connection`,
  scope: 'admin',
  summary: 'Connects to a database that is not stored yet, and runs the checks of the doctor',
  input: z.strictObject({}),
  body: Draft,
  answer: Tested,
  sql: null,
  async run({ outside }, { body }, asking) {
    const draft = readDatabase(merged({ name: 'draft' }, databaseKeys(body), isKey));
    return tested(await outside((on) => testDraftDatabase(on, draft)), asking);
  },
});

const storedRoute = writing({
  method: 'POST',
  path: `${PATH}/:database/test_connection`,
  scope: 'operate',
  summary: 'Connects to a database, as stored or as changed by the keys of a body, and runs the checks of the doctor',
  input: z.strictObject({ database: REF }),
  body: Draft,
  answer: Tested,
  sql: null,
  async run({ outside }, { database, body }, asking) {
    if (Object.keys(body).length === 0) return tested(await outside((on) => testStoredDatabase(on, database)), asking);
    refuseDraft(asking);
    return tested(await outside((on) => testEditedDatabase(on, database, body)), asking);
  },
});

export const DATABASE_TEST_ROUTES: readonly Route[] = [draftRoute, storedRoute];
