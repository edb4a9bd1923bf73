// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test
/** Any valid declaration, applied, exported and planned: no change, with an operator's pause in between, which stays. */
import { expect } from 'chai';
import fc from 'fast-check';
import { exportConfig } from '../../../src/admin/export-config.ts';
import { applyConfig, planConfig } from '../../../src/catalog/apply/apply.ts';
import { changeThing } from '../../../src/catalog/apply/change-thing.ts';
import { readCurrent } from '../../../src/catalog/apply/current.ts';
import { entryOf, storedOf } from '../../../src/catalog/apply/stored.ts';
import { checkDeclaration } from '../../../src/catalog/declare/declaration.ts';
import { isElixir } from '../../../src/catalog/declare/elixir.ts';
import type { Database } from '../../../src/db/pool.ts';
import { MASK } from '../../../src/model/masked.ts';
import { type MessageDatabase, messageDatabase } from '../../support/postgres/message-database.ts';
import { CA, KEYS, parse } from '../support.ts';

const CANARY = 'canary-1f8b2c';

/** Whatever YAML, variables or JSON might take for something else. */
const text = fc
  .string({
    unit: fc.oneof(
      fc.constantFrom(
        '$',
        '{',
        '}',
        '${',
        '$${',
        '${A:-b}',
        '"',
        "'",
        '\n',
        '\r',
        '\t',
        '\\',
        '#',
        ':',
        ' ',
        '-',
        '*',
        '&',
      ),
      fc.constantFrom('<<', 'a', 'Z', '0', '1', 'é', '😀', '\u0007', '\u0085', '\u2028', '%', '|', '>', '!', ','),
      // Behind these a reference would be hidden.
      fc.constantFrom('\ue024', '\ue07b', '\ue041', '\ue07d', '\ufeff'),
    ),
    maxLength: 12,
  })
  .filter((one) => one.trim() !== '');
const word = fc.constantFrom('yes', 'null', '12', '1e3', '0x1F', '~', 'true', '=', '2026-01-01', ' a ', '- b');
const said = fc.oneof(text, word);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const dictionary = fc.dictionary(said, said, { maxKeys: 3 });
const secret = fc.constantFrom(`${CANARY}-a`, `${CANARY}$\{B}`, `'${CANARY}"`);
const table = fc.constantFrom('orders', 'sales.lines', 'a b.c#d', 'public.${A}', "it's");
const tls = fc.record({ ca: maybe(fc.constant(JSON.parse(CA))), verify: fc.boolean() }, { requiredKeys: [] });

const database = fc.record(
  {
    hostname: fc.constantFrom('db.example.com', '10.1.2.3', '::1', '/var/run/postgresql'),
    port: fc.integer({ min: 1, max: 65_535 }),
    database: said,
    username: said,
    password: secret,
    ssl: fc.oneof(
      fc.constantFrom('prefer', true, false),
      fc.record({ verify: fc.boolean(), channel_binding: fc.boolean() }),
      fc.record({ ca: fc.constant(JSON.parse(CA)), verify: fc.constantFrom(true, 'ca') }),
    ),
    pool_size: fc.integer({ min: 1, max: 100 }),
    invalid_utf8: fc.constantFrom('replace', 'park'),
    capture: fc.constantFrom('replication', 'triggers'),
    trigger_errors: fc.constantFrom('fail', 'skip'),
    slot: fc.record({ name: fc.constantFrom('millrace', 'other'), create_if_not_exists: fc.boolean() }),
    publication: fc.record({ name: fc.constantFrom('millrace', '${P}'), create_if_not_exists: fc.boolean() }),
    await_database: fc.record({ timeout_ms: fc.integer({ min: 0, max: 3_600_000 }) }),
    annotations: dictionary,
  },
  { requiredKeys: ['hostname', 'database', 'slot', 'publication'] },
);
const filters = fc.array(
  fc.oneof(
    fc.record({ column_name: said, operator: fc.constantFrom('is_null', 'not_null') }),
    fc.record({
      column_name: said,
      operator: fc.constantFrom('=', '<>'),
      comparison_value: fc.oneof(
        said,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true, max: 1e9, min: -1e9 }),
      ),
    }),
    fc.record({
      column_name: said,
      field_path: fc.constant('a.b'),
      operator: fc.constant('in'),
      comparison_value: fc.array(said, { minLength: 1, maxLength: 3 }),
    }),
  ),
  { maxLength: 3 },
);
const common = {
  status: fc.constantFrom('active', 'paused'),
  actions: fc.subarray(['insert', 'update', 'delete'], { minLength: 1 }),
  filters,
};
const sink = {
  ...common,
  source: fc.record(
    { include_tables: fc.uniqueArray(table, { minLength: 1 }), exclude_schemas: fc.constant(['x']) },
    { requiredKeys: [] },
  ),
  filter: fc.constantFrom('none', 'keep'),
  transform: fc.constantFrom('none', 'path'),
  annotations: dictionary,
  max_retry_count: fc.integer({ min: 0, max: 1_000_000 }),
  message_grouping: fc.boolean(),
  initial_backfill: fc.constantFrom(true, false),
};
const entries = (destination: fc.Arbitrary<object>) =>
  fc.record({ ...sink, destination }, { requiredKeys: ['destination'] });
const seconds = fc.constantFrom('1 second', '90s', '10 minutes', '36 hours', '2w', '36525 days', '999999999 s');
const declaration = fc.record({
  database,
  code: said.filter((code) => !isElixir(code)),
  description: maybe(said),
  pull: entries(
    fc.record(
      { type: fc.constantFrom('pull', 'sequin_stream'), max_waiting: fc.integer({ min: 1, max: 9 }) },
      { requiredKeys: ['type'] },
    ),
  ),
  search: entries(
    fc.record(
      {
        type: fc.constantFrom('opensearch', 'elasticsearch'),
        endpoint_url: fc.constantFrom('http://h:9200/', 'https://h/a'),
        index_name: fc.constantFrom('i', '1'),
        auth_type: fc.constantFrom('api_key', 'bearer'),
        auth_value: fc.constantFrom(CANARY, ''),
        compression: fc.constantFrom('none', 'gzip'),
        tls,
      },
      { requiredKeys: ['type', 'endpoint_url', 'index_name', 'auth_value'] },
    ),
  ),
  hook: entries(
    fc.record(
      {
        type: fc.constant('webhook'),
        url: fc.constantFrom('https://h/a?b=c', 'http://h:1/$%7BA%7D'),
        headers: fc.constantFrom({ 'x-a': '${A}', 'x-b': '12' }, {}),
        encrypted_headers: fc.constantFrom({ authorization: `Bearer ${CANARY}$\{C}` }, {}),
        signing_secrets: fc.constantFrom([], [`whsec_${Buffer.from(`${CANARY}-0123456789abcdef`).toString('base64')}`]),
        batch: fc.boolean(),
        tls,
      },
      { requiredKeys: ['type', 'url'] },
    ),
  ),
  history: fc.record(
    {
      ...common,
      source_table_name: said.map((one) => one.replaceAll('.', '').trim() || 't').map((one) => one.slice(0, 20)),
      create_if_not_exists: fc.boolean(),
      retention: fc.oneof(
        fc.record({ by: fc.constant('job'), keep: seconds, every: maybe(seconds) }),
        fc.record({ by: fc.constant('pg_partman'), keep: seconds, interval: maybe(seconds) }),
      ),
    },
    { requiredKeys: ['source_table_name'] },
  ),
  scopes: fc.constantFrom(undefined, ['read'], ['consume:SINK', 'read']),
});

/** Each thing, sent as it is shown, is the same thing; so it is when nothing is sent. */
async function sameWhenSentBack(db: Database): Promise<void> {
  const deps = { db, keys: KEYS };
  const say = async (who: string): Promise<void> => {
    for (const list of ['databases', 'functions', 'sinks'])
      await db.query(`update millrace_private.${list} set managed_by = '${who}'`);
  };
  await say('api');
  const current = await readCurrent(db);
  for (const type of ['database', 'function', 'sink', 'change_retention'] as const) {
    for (const { name, version, id } of storedOf(current, type)) {
      for (const body of [{}, entryOf(current, name, { type, keys: KEYS })])
        expect(await changeThing(deps, { type, ref: name, body, ifMatch: [version] })).to.include({ id, name });
    }
  }
  expect(await readCurrent(db)).to.deep.equal(current);
  await say('file');
}

describe('a declaration that is exported', () => {
  let messages: MessageDatabase;
  before(async () => {
    messages = await messageDatabase();
  });
  after(async () => await messages.drop());

  it('changes nothing when it is planned or sent back thing by thing, whatever it says, and an operator’s pause stays', async function () {
    this.timeout(120_000);
    let run = 0;
    await fc.assert(
      fc.asyncProperty(declaration, async (given) => {
        run += 1;
        const { declared, faults } = checkDeclaration(withoutUndefined(rawOf(given, run)), { loopbackOnly: true });
        expect(faults).to.deep.equal([]);
        const deps = { db: messages.db, keys: KEYS };
        await applyConfig(deps, declared, { from: 'start', prune: true, force: true });
        await messages.db.query('select millrace.pause($1)', [`pull${run}`]);
        await messages.db.query('select millrace.resume($1)', [`hook${run}`]);
        const masked = await exportConfig(deps, { reveal: false });
        expect(masked).to.include(MASK).and.not.include(CANARY);
        for (const yaml of [masked, await exportConfig(deps, { reveal: true })]) {
          const { config } = parse(yaml);
          const planned = await planConfig(deps, config, { prune: true });
          expect(planned.changes, yaml).to.deep.equal([]);
          await applyConfig(deps, config, { from: 'cli', prune: true });
        }
        const { rows } = await messages.db.query(
          "select s.status from millrace_private.sinks s where s.name ~ '^(pull|hook)' order by s.name desc",
        );
        expect(rows).to.deep.equal([{ status: 'paused' }, { status: 'active' }]);
        if (run % 4 === 0) await sameWhenSentBack(messages.db);
      }),
      { numRuns: 40 },
    );
  });
});

function rawOf(given: typeof declaration extends fc.Arbitrary<infer T> ? T : never, run: number): object {
  const { database: source, code, description, pull, search, hook, history, scopes } = given;
  return {
    api_tokens: [
      {
        name: 'ops',
        token: 'k3jd8sj2ls9dk3js8dk2ls',
        scopes: scopes?.map((scope) => scope.replace('SINK', `pull${run}`)),
      },
    ],
    databases: [
      { name: 'shop', ...source },
      { name: 'archive', hostname: 'two', database: 'archive', password: CANARY },
    ],
    functions: [
      { name: 'keep', type: 'filter', code, description },
      { name: 'path', type: 'path', path: 'record.id' },
    ],
    sinks: [
      { name: `pull${run}`, database: 'shop', ...pull },
      { name: `search${run}`, database: 'shop', ...search },
      { name: `hook${run}`, database: 'shop', ...hook },
    ],
    change_retentions: [
      {
        name: `history${run}`,
        source_database: 'shop',
        destination_database: 'archive',
        destination_table_name: 'events',
        ...history,
      },
    ],
  };
}

/** A key without a value is not there. */
function withoutUndefined(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
