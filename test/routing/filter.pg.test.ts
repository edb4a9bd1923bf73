/** Column filters against the same condition in SQL, on the texts that the source would send. */
import { expect } from 'chai';
import fc from 'fast-check';
import { type Database, openPool } from '../../src/db/pool.ts';
import { bindFilter, passes } from '../../src/routing/filter.ts';
import { loadTypes } from '../../src/source/types.ts';
import {
  CONDITION,
  FILTERED_TYPES,
  type FilterCase,
  type FilteredType,
  ORDERED_CONDITION,
} from '../support/fixtures/filter-cases.ts';
import { TYPES_SQL } from '../support/fixtures/type-values.ts';
import {
  type Cluster,
  hasPostgres15,
  sharedCluster,
  startCluster,
  type TestDatabase,
} from '../support/postgres/postgres.ts';

/** Raise it for a long run: MILLRACE_FILTER_CASES=5000. */
const CASES = Number(process.env.MILLRACE_FILTER_CASES ?? 400);
const SEED = Number(process.env.MILLRACE_FILTER_SEED ?? Date.now() % 2 ** 31);
const UNORDERED = new Set(['citext', 'mood']);

interface Judged {
  n: number;
  typeOid: number;
  text: string | null;
  verdict: boolean;
}

/** What the server says of each case, and the value's text as pgoutput prints it. */
async function judgedBySql(source: Database, type: FilteredType, cases: FilterCase[]): Promise<Judged[]> {
  const condition = (UNORDERED.has(type.type) ? CONDITION : ORDERED_CONDITION)
    .replaceAll(/\bx (?=is )/g, type.fieldType ? `(x #>> string_to_array(path, '.')) ` : 'x ')
    .replaceAll(/\bx (?=[<>=])/g, () => `${type.value} `);
  const { rows } = await source.query<Judged>(
    `with given as materialized (
       select n, value::${type.type} as x, operator, path,
              (select array_agg(o::${type.operandType}) from json_array_elements_text(operands) as o) as y
         from unnest($1::text[], $2::text[], $3::json[], $4::text[]) with ordinality
              as given (value, operator, operands, path, n))
     select n::int as n, pg_typeof(x)::oid::bigint as "typeOid", case when x is not null then format('%s', x) end as text,
            ${condition} as verdict
       from given order by n`,
    [
      cases.map(({ value }) => value),
      cases.map(({ operator }) => operator),
      cases.map(({ operands }) => JSON.stringify(operands)),
      cases.map(({ path }) => path),
    ],
  );
  return rows;
}

function agreesWithSql(open: () => Promise<Cluster>): void {
  let database: TestDatabase;
  let source: Database;
  before(async () => {
    database = await (await open()).createDatabase();
    source = openPool({ address: database.url, max: 1, applicationName: 'filter-test', path: 'role' });
    await source.query(`set time zone 'UTC'`);
    await source.query(TYPES_SQL);
  });
  after(async () => {
    await source?.close();
    await database?.drop();
  });

  for (const type of FILTERED_TYPES) {
    it(`${type.type}${type.fieldType ? `, a ${type.fieldType} in it` : ''}`, async () => {
      const cases = fc.sample(type.cases, { numRuns: CASES, seed: SEED });
      const judged = await judgedBySql(source, type, cases);
      const types = await loadTypes(source, [judged[0]!.typeOid]);
      const passed = { ours: 0, of: judged.length };
      for (const { n, typeOid, text, verdict } of judged) {
        const { operator, operands, path, value } = cases[n - 1]!;
        const many = operator === 'in' || operator === 'not_in';
        const filter = bindFilter(
          {
            column_name: 'c',
            field_path: path,
            field_type: type.fieldType,
            operator,
            comparison_value: operands.length === 0 ? null : many ? operands : operands[0]!,
          },
          { index: 0, typeOid, types },
        );
        const about = `${JSON.stringify({ text, value, path, operator, operands })}, MILLRACE_FILTER_SEED=${SEED}`;
        if (typeof filter === 'string') throw new Error(`${filter}: ${about}`);
        const ours = passes(filter, text);
        if (ours) passed.ours += 1;
        expect(ours, about).to.equal(verdict);
      }
      expect(passed.ours).to.be.within(passed.of / 10, (passed.of * 9) / 10);
    });
  }
}

describe('column filters judge as Postgres does', () => {
  describe('on Postgres 18', () => agreesWithSql(sharedCluster));

  describe('on Postgres 15', () => {
    let cluster: Cluster | undefined;
    before('needs the machine to have Postgres 15', function () {
      if (!hasPostgres15()) this.skip();
    });
    agreesWithSql(async () => {
      cluster ??= await startCluster({ major: 15 });
      return cluster;
    });
    after(async () => cluster?.stop());
  });
});
