/**
 * The same on the whole way, for both ways of capture: rows with values of every type, inserted, and deleted in a session with settings of its own, are in
 * messages as `to_jsonb` has them.
 */
import { expect } from 'chai';
import fc from 'fast-check';
import { type Captured, captured, PULL, sinkSettings } from '../support/fixtures/captured.ts';
import { compact, forms, holders, neighbours } from '../support/fixtures/type-forms.ts';
import { TYPE_CASES, TYPES_SQL, type TypeCase } from '../support/fixtures/type-values.ts';
import { type Cluster, hasPostgres15, sharedCluster, startCluster } from '../support/postgres/postgres.ts';

/** Rows of each type. Raise it for a long run: MILLRACE_CAPTURED_CASES=1000. */
const CASES = Number(process.env.MILLRACE_CAPTURED_CASES ?? 20);
const SEED = Number(process.env.MILLRACE_CODEC_SEED ?? Date.now() % 2 ** 31);

/** Whoever writes may have any of these: what is told is the same. */
const ODD = `set timezone = 'Asia/Kolkata'; set datestyle = 'German'; set intervalstyle = 'iso_8601'; set extra_float_digits = -10;
  set bytea_output = 'escape'; set quote_all_identifiers = on`;

const columns = ({ type, alone }: TypeCase): string =>
  forms(type, alone === true)
    .map(([form, sql]) => `${sql} as "${form}"`)
    .join(', ');

/** SQL of what a message has: the row's columns in their order, for `to_jsonb` would sort their names. */
const said = ({ type, alone }: TypeCase): string => {
  const names = ['n', ...forms(type, alone === true).map(([form]) => form)];
  return `'{' || ${names.map((name) => `'"${name}":' || coalesce(to_jsonb("${name}")::text, 'null')`).join(` || ',' || `)} || '}'`;
};

function tellsWhatToJsonbSays(open: () => Promise<Cluster>, capture: 'replication' | 'triggers'): void {
  let on: Captured;
  let sink: number;
  let told = 0;

  before(async () => {
    on = await captured(TYPES_SQL, { cluster: await open(), settings: { capture } });
    for (const [n, type] of TYPE_CASES.entries()) {
      await on.source.query(
        `create schema s${n}; set search_path = s${n}, public; ${type.alone ? '' : holders(type.type)}`,
      );
      const empty = neighbours(type).replace('$1', "'{}'");
      await on.source.query(`create table t as select n, ${columns(type)} from (${empty}) g;
        alter table t add primary key (n); alter table t replica identity full; reset search_path`);
    }
    await on.source.query('create publication millrace_test for all tables');
    sink = await on.addSink(sinkSettings({ name: 'all', destination: PULL }));
    on.start();
    await on.streaming();
  });
  after(async () => await on?.close());

  for (const [n, type] of TYPE_CASES.entries())
    it(type.type, async () => {
      const texts = fc.sample(type.texts, { numRuns: CASES, seed: SEED });
      await on.source.query(`set search_path = s${n}, public`);
      await on.source.query(`insert into t select n, ${columns(type)} from (${neighbours(type)}) g`, [texts]);
      const { rows } = await on.source.query<{ json: string }>(`select ${said(type)} as json from t order by n`);
      await on.source.query(`${ODD}; delete from t; reset all`);
      const messages = (await on.received(sink, told + 2 * rows.length)).slice(told);
      told += messages.length;
      const wanted = rows.map(({ json }) => compact(json));
      for (const action of ['insert', 'delete']) {
        const records = messages.filter((one) => one.action === action).map(({ record }) => compact(record));
        // A delete of all meets them in the order of their places.
        expect(records.toSorted(), `${action}, MILLRACE_CODEC_SEED=${SEED}`).to.deep.equal(wanted.toSorted());
      }
    });
}

describe('a captured row is what to_jsonb prints', () => {
  for (const capture of ['triggers', 'replication'] as const) {
    describe(`by ${capture}, on Postgres 18`, () => tellsWhatToJsonbSays(sharedCluster, capture));

    // The gate has Postgres 15 in codec.pg.test.ts, and few rows of each type here: every one makes its way through capture.
    if (process.env.MILLRACE_CAPTURED_CASES === undefined) continue;
    describe(`by ${capture}, on Postgres 15`, () => {
      let cluster: Cluster | undefined;
      before('needs the machine to have Postgres 15', function () {
        if (!hasPostgres15()) this.skip();
      });
      tellsWhatToJsonbSays(async () => {
        cluster ??= await startCluster({ major: 15 });
        return cluster;
      }, capture);
      after(async () => cluster?.stop());
    });
  }
});
