import { expect } from 'chai';
import fc from 'fast-check';
import { codecFor, jsonOf } from '../../src/codec/codec.ts';
import { type Database, openPool } from '../../src/db/pool.ts';
import { loadTypes } from '../../src/source/types.ts';
import { compact, forms, holders, neighbours } from '../support/fixtures/type-forms.ts';
import { TYPE_CASES, TYPES_SQL, type TypeCase } from '../support/fixtures/type-values.ts';
import {
  type Cluster,
  hasPostgres15,
  sharedCluster,
  startCluster,
  type TestDatabase,
} from '../support/postgres/postgres.ts';

/** Values of each type, each in every form below. Raise it for a long run: MILLRACE_CODEC_CASES=5000. */
const CASES = Number(process.env.MILLRACE_CODEC_CASES ?? 100);
const SEED = Number(process.env.MILLRACE_CODEC_SEED ?? Date.now() % 2 ** 31);

interface Printed {
  form: string;
  typeOid: number;
  text: string;
  json: string;
}

const RENEWED = `
  drop type if exists outer_holder, holder cascade;
  drop domain if exists holder_list cascade;
`;

/** `format` prints with the type's output function, as pgoutput does; a cast to text does not (boolean, char, inet). */
async function printed(source: Database, given: { type: TypeCase; texts: string[] }): Promise<Printed[]> {
  const { type, alone } = given.type;
  const columns = forms(type, alone === true).map(
    ([form, sql]) => `('${form}', pg_typeof(${sql})::oid::bigint, format('%s', ${sql}), to_jsonb(${sql})::text)`,
  );
  const { rows } = await source.query<Printed>(
    `with neighbours as materialized (${neighbours(given.type)})
     select form, type_oid as "typeOid", text, json
     from neighbours, lateral (values ${columns.join(', ')}) as printed(form, type_oid, text, json)
     order by n`,
    [given.texts],
  );
  return rows;
}

function agreesWithToJsonb(open: () => Promise<Cluster>): void {
  let database: TestDatabase;
  let source: Database;

  before(async () => {
    database = await (await open()).createDatabase();
    source = openPool({ address: database.url, max: 1, applicationName: 'codec-test', path: 'role' });
    await source.query(TYPES_SQL);
  });
  after(async () => {
    await source?.close();
    await database?.drop();
  });

  for (const type of TYPE_CASES) {
    it(type.type, async () => {
      if (type.alone !== true) await source.query(RENEWED + holders(type.type));
      const texts = fc.sample(type.texts, { numRuns: CASES, seed: SEED });
      const values = await printed(source, { type, texts });
      expect(values).to.have.length.at.least(texts.length);
      const types = await loadTypes(
        source,
        values.map((value) => value.typeOid),
      );
      for (const { form, typeOid, text, json } of values) {
        const ours = jsonOf(codecFor(typeOid, types), text);
        expect(compact(ours), `${form} ${JSON.stringify(text)}, MILLRACE_CODEC_SEED=${SEED}`).to.equal(compact(json));
        expect(ours, 'one line').not.to.match(/[\n\r]/);
      }
    });
  }

  it('a composite of everything, nested', async () => {
    const { rows } = await source.query<Printed>(
      `select 'nested' as form, 'nested'::regtype::oid::bigint as "typeOid", x::text as text, to_jsonb(x)::text as json
       from (values
         (row(row(1, 'a "b"')::pair, '{1.50,NaN,NULL}', 'a=>"1,2", b=>NULL', 'so so', '{x,"y,z"}', array[row(2, '(')::pair, null, row(null, '')::pair], row(3, null)::pair, '2020-01-01 00:00Z', '{"{a,NULL}",NULL}')::nested),
         (row(null, null, null, null, null, null, null, null, null)::nested),
         (row(row(null, null)::pair, '{}', '', null, '{}', '{}', null, 'infinity', '{}')::nested)
       ) as given(x)`,
    );
    expect(rows).to.have.length(3);
    const types = await loadTypes(
      source,
      rows.map((row) => row.typeOid),
    );
    for (const { typeOid, text, json } of rows)
      expect(compact(jsonOf(codecFor(typeOid, types), text))).to.equal(compact(json));
  });

  it('a row of a table as a value', async () => {
    await source.query(
      'create table item (id int, "other Id" int[], note text); create table holder_of_item (one item, many item[])',
    );
    const { rows } = await source.query<Printed>(
      `select 'row' as form, 'item[]'::regtype::oid::bigint as "typeOid", x::text as text, to_jsonb(x)::text as json
       from (select array[row(1, '{2,3}', 'a
b')::item, null]) as given(x)`,
    );
    const types = await loadTypes(source, [rows[0]!.typeOid]);
    expect(compact(jsonOf(codecFor(rows[0]!.typeOid, types), rows[0]!.text))).to.equal(compact(rows[0]!.json));
  });

  it('an oid that does not exist is left out of the catalogue', async () => {
    expect([...(await loadTypes(source, [4_000_000_000])).keys()]).to.deep.equal([]);
  });
}

describe('the codec prints what to_jsonb prints', () => {
  describe('on Postgres 18', () => agreesWithToJsonb(sharedCluster));

  describe('on Postgres 15', () => {
    let cluster: Cluster | undefined;
    before('needs the machine to have Postgres 15', function () {
      if (!hasPostgres15()) this.skip();
    });
    agreesWithToJsonb(async () => {
      cluster ??= await startCluster({ major: 15 });
      return cluster;
    });
    after(async () => cluster?.stop());
  });
});
