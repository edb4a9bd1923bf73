// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { readConfiguration } from '../../../src/catalog/declare/file.ts';
import { capturesByTriggers } from '../../../src/model/declared.ts';
import { MillraceError } from '../../../src/model/errors.ts';
import { formatFaults } from '../../../src/model/finding.ts';
import type { ChangeTableDestination } from '../../../src/sinks/change-table/section.ts';
import { faultsOf, linesOf, PULL, parse, SHOP, sinkFile } from '../support.ts';

const data = (name: string): string => readFileSync(new URL(`data/${name}`, import.meta.url), 'utf8');
const readFile = (): string => '(action, record) => record.open';
const everyKey = data('every-key.yaml');
const working = everyKey.replace(/^users:\n(?: .*\n)+/m, '');

describe('the configuration file', () => {
  describe('accepts', () => {
    it('every key, with every default filled in', () => {
      const { config, warnings } = parse(working, { readFile });
      expect(config.databases[0]!.settings).to.deep.equal({
        name: 'shop',
        capture: 'triggers',
        trigger_errors: 'skip',
        slot: { name: 'millrace', create_if_not_exists: true },
        publication: {
          name: 'millrace',
          create_if_not_exists: true,
          init_sql: 'create publication millrace for tables in schema public with (publish_via_partition_root = true)',
        },
        ssl: false,
        pool_size: 3,
        max_row_bytes: 16_777_216,
        invalid_utf8: 'replace',
        await_database: { timeout_ms: 30_000, interval_ms: 3_000 },
        annotations: { team: 'shop' },
      });
      expect(config.databases[0]!.address).to.deep.equal({
        host: 'localhost',
        port: 5432,
        database: 'shop',
        user: 'postgres',
        password: 'postgres',
      });
      expect(config.functions.map(({ name, type, code, path: at }) => [name, type, code ?? at])).to.deep.equal([
        [
          'product-document',
          'transform',
          'export default (action, record, changes, metadata) => ({ name: record.product_name, price: record.price })',
        ],
        ['by-table', 'routing', '(action, record, changes, metadata) => ({ index_name: metadata.table_name })'],
        ['only-open', 'filter', '(action, record) => record.open'],
        ['just-id', 'path', 'record.id'],
      ]);
      expect(config.sinks.map(({ settings }) => settings.destination)).to.deep.equal([
        { type: 'pull', visibility_timeout_ms: 30_000, max_ack_pending: 10_000, max_waiting: 20, max_per_group: 1 },
        {
          type: 'elasticsearch',
          endpoint_url: 'http://localhost:9200',
          index_name: 'products',
          auth_type: 'api_key',
          batch_size: 100,
          batch_bytes: 8_388_608,
          compression: 'none',
          versioning: 'external',
          tls: { ca: null, verify: true },
        },
        {
          type: 'webhook',
          url: 'https://hooks.example.com/orders',
          method: 'POST',
          headers: { 'x-tenant': 'acme' },
          batch: false,
          batch_size: 100,
          timeout_ms: 10_000,
          parallel: 4,
          tls: { ca: null, verify: true },
        },
        {
          type: 'change_table',
          database: 'shop',
          table_schema: 'public',
          table_name: 'orders_events',
          create_if_not_exists: true,
          retention: { by: 'job', keep_seconds: 2_592_000, every_seconds: 600 },
        },
      ]);
      expect(config.tokens[0]!.scopes).to.deep.equal(['admin']);
      expect(warnings.map(({ field, line }) => [field, line])).to.deep.equal([
        ['api_tokens[0].token', 7],
        ['sinks[1].destination.auth_value', 73],
        ['sinks[2].destination.encrypted_headers.authorization', 88],
        ['sinks[2].destination.signing_secrets[0]', 89],
      ]);
    });

    it('the example of this project', () => {
      const example = readFileSync(new URL('../../../millrace.yaml.example', import.meta.url), 'utf8');
      expect(
        parse(example, { loopbackOnly: false, env: { API_TOKEN: 'w8fj2la0pq7sn4mzx6vb1cyq' } }).config.sinks.map(
          ({ settings }) => settings.name,
        ),
      ).to.deep.equal(['orders-worker', 'products-index', 'orders-webhook', 'orders-history']);
    });

    it('capture by triggers without a slot, or with one that a database beside it has', () => {
      const of = (capture: string) =>
        parse(`databases:
  - { name: a, url: postgres://h/a, slot: { name: s }, publication: { name: p }${capture} }
  - { name: b, url: postgres://h/b, slot: { name: s }, publication: { name: p }, capture: triggers }
  - { name: c, url: postgres://h/c, publication: { name: p }, capture: triggers }
sinks:
  - { name: w, database: c, ${PULL} }
`).config.databases.map(({ settings }) => settings);
      const [a, b, c] = of('');
      expect([a, b, c].map((settings) => capturesByTriggers(settings!))).to.deep.equal([false, true, true]);
      expect(b!.slot.name).to.equal('s');
      // One that was declared before there was a choice is the same database.
      expect(a).to.not.have.any.keys('capture', 'trigger_errors');
      expect(of(', capture: replication, trigger_errors: fail')[0]).to.deep.equal(a);
    });

    it("a file of Sequin's, in its older spellings", () => {
      const { config, warnings } = parse(data('sequin.yaml'), { loopbackOnly: false });
      expect(config.databases[0]).to.deep.include({
        address: {
          host: 'prod.db.example.com',
          port: 5433,
          database: 'app_production',
          user: 'app',
          password: '12345678',
        },
      });
      expect(config.databases[0]!.settings).to.deep.include({
        slot: { name: 'sequin_slot', create_if_not_exists: false },
        publication: { name: 'sequin_pub', create_if_not_exists: false, init_sql: null },
        ssl: false,
        await_database: { timeout_ms: 10_000, interval_ms: 3_000 },
      });
      const [stream, search, audit] = config.sinks.map(({ settings }) => settings);
      expect(stream).to.deep.include({ transform: 'id-only', actions: ['insert', 'update'], filter_leave: 'keep' });
      expect(stream!.source.include_tables).to.deep.equal(['public.users']);
      expect(stream!.tables).to.deep.equal([{ name: 'public.users', group_column_names: ['account_id'] }]);
      expect(stream!.filters.map(({ operator }) => operator)).to.deep.equal(['not_null', 'not_in', '=']);
      expect(stream!.destination.type).to.equal('sequin_stream');
      expect(search!.source.include_schemas).to.deep.equal(['catalog']);
      expect(search!.destination).to.include({ batch_size: 250, endpoint_url: 'https://search.example.com:9200' });
      expect(config.sinks[1]!.secret).to.equal('elastic:changeme');
      expect(audit!.destination).to.include({ table_schema: 'audit', table_name: 'user_events', retention: null });
      expect(warnings.map(({ field }) => field)).to.deep.equal(['api_tokens[0]', 'sinks[0].batch_size']);
    });

    it('an empty file, as nothing declared', () => {
      expect(parse('').config).to.deep.equal({ databases: [], functions: [], sinks: [], tokens: [] });
      expect(parse('# only a comment\n').config.sinks).to.deep.equal([]);
    });

    it('aliases of types, anchors and merge keys', () => {
      const text = sinkFile(
        'destination: &d { type: opensearch, endpoint_url: http://h, index_name: i, auth_type: none }',
      );
      const { config } = parse(`${text}  - { name: b, database: shop, destination: { <<: *d, type: search_index } }\n`);
      expect(config.sinks.map(({ settings }) => settings.destination.type)).to.deep.equal([
        'elasticsearch',
        'elasticsearch',
      ]);
      const functions = parse('functions: [{ name: r, type: route, code: "() => ({})" }]').config.functions;
      expect(functions[0]!.type).to.equal('routing');
    });
  });

  it('takes people whose password nobody can read somewhere', () => {
    const { config, warnings } = parse(`users:
  - { email: Ann@Example.com, password: a long password }
  - { email: bob, password: "********", scopes: [read, read] }
  - { email: eve@example.com, password: sequinpassword! }
  - { email: max@example.com, password: short }`);
    expect(config.users).to.deep.equal([{ email: 'ann@example.com', password: 'a long password', scopes: ['admin'] }]);
    expect(warnings.map(({ line, field, message }) => `${line} ${field} ${message}`)).to.deep.equal([
      '3 users[1].password is what an export shows in place of a secret: this user is not made',
      '4 users[2].password is taken from a published example: this user is not made',
      '5 users[3].password has fewer than 8 characters: this user is not made',
    ]);
  });

  it('takes what a new sink is sent of the rows that are there', () => {
    const of = (lines: string): unknown =>
      parse(sinkFile(`${lines}\n${PULL}`)).config.sinks[0]!.settings.initial_backfill;
    expect(of('initial_backfill: false')).to.equal(undefined);
    expect(of('actions: [insert]')).to.equal(undefined);
    expect(of('initial_backfill: true')).to.equal(true);
    expect(of('initial_backfill: "true"')).to.equal(true);
    expect(
      of(`initial_backfill:
  - table: orders
  - { table: "sales.Big Orders", type: full }
  - { table: notes, type: partial, sort_column: updated_at, start_position: 2026-01-31 }
  - { table: lines, type: partial, sort_column: id, start_position: 1000 }`),
    ).to.deep.equal([
      { table: 'public.orders', sort_column: null, start_position: null },
      { table: 'sales.Big Orders', sort_column: null, start_position: null },
      { table: 'public.notes', sort_column: 'updated_at', start_position: '2026-01-31' },
      { table: 'public.lines', sort_column: 'id', start_position: '1000' },
    ]);
  });

  it('says where an initial backfill is wrong, and what to write instead', () => {
    const lines = (text: string): string[] => linesOf(sinkFile(`${text}\n${PULL}`));
    expect(lines('initial_backfill: yes please')).to.deep.equal([
      '9:23 sinks[0].initial_backfill must be true, false or a list of tables',
    ]);
    expect(lines('initial_backfill: []')).to.deep.equal([
      '9:5 sinks[0].initial_backfill must be true, false or a list of tables',
    ]);
    expect(lines('initial_backfill: { state: active }')).to.have.lengthOf(1);
    expect(
      lines(`source: { include_tables: [orders, notes] }
initial_backfill:
  - { table: orders, type: partial, sort_column: id }
  - { table: notes, sort_column: id, start_position: 1 }
  - { table: notes, type: ful }
  - { tabel: notes }`),
    ).to.deep.equal([
      '11:9 sinks[0].initial_backfill[0].start_position is missing with `type: partial`',
      '12:38 sinks[0].initial_backfill[1].sort_column is for `type: partial`',
      '12:58 sinks[0].initial_backfill[1].start_position is for `type: partial`',
      '13:31 sinks[0].initial_backfill[2].type must be one of full, partial',
      '14:9 sinks[0].initial_backfill[3].table is missing',
      '14:11 sinks[0].initial_backfill[3].tabel is not a known key',
    ]);
    for (const digits of ['12345678901234567890', '1.00000000000000000001', '1e-400'])
      expect(
        lines(`initial_backfill: [{ table: a, type: partial, sort_column: id, start_position: ${digits} }]`),
      ).to.deep.equal(['9:84 sinks[0].initial_backfill[0].start_position has more digits than a number keeps']);
    expect(
      lines(`source: { include_tables: [orders] }
initial_backfill: [{ table: orders }, { table: orders }, { table: notes }]`),
    ).to.deep.equal([
      '10:52 sinks[0].initial_backfill[1].table is listed twice',
      '10:71 sinks[0].initial_backfill[2].table is not a table of this sink',
    ]);
    expect(lines('status: disabled\ninitial_backfill: true')).to.deep.equal([
      '10:23 sinks[0].initial_backfill has no effect with `status: disabled`, which keeps no messages',
    ]);
  });

  it('takes each way of deleting old entries', () => {
    const policy = (text: string) => {
      const { config } = parse(working.replace('by: job, keep: 30 days, every: 10 minutes', text), { readFile });
      const { destination } = config.sinks.find(
        ({ settings }) => settings.destination.type === 'change_table',
      )!.settings;
      return (destination as ChangeTableDestination).retention;
    };
    expect(policy('by: pg_cron, keep: 30 days')).to.deep.equal({
      by: 'pg_cron',
      keep_seconds: 2_592_000,
      every_seconds: 600,
    });
    expect(policy('by: pg_partman, keep: 30 days, interval: 1 day')).to.deep.equal({
      by: 'pg_partman',
      keep_seconds: 2_592_000,
      interval_seconds: 86_400,
    });
  });

  it('reports the faults of syntax, of variables and of meaning together, in order', () => {
    const text = `${SHOP}    pool_sise: 4\nsinks:\n  - name: s\n    database: \${NONE}\n    name: t\n    destination: { type: pull }\n`;
    expect(linesOf(text)).to.deep.equal([
      '6:5 databases[0].pool_sise is not a known key',
      '9:15 sinks[0].database needs the variable NONE, which is not set',
      '10:5 sinks[0].name appears twice',
    ]);
  });

  it('names line and column of a broken text', () => {
    expect(linesOf('databases:\n  - name: "shop\n')).to.deep.equal([
      '3:1 databases[0].name lacks a closing or separating character',
    ]);
    expect(linesOf('databases: []\n\tsinks: []\n')[0]).to.match(/^2:\d /);
    expect(linesOf('a: 1\n---\nb: 2\n')[0]).to.equal('2:1  begins a second document');
    expect(linesOf('- a\n')).to.deep.equal(['1:1  must be a mapping of keys to values']);
  });

  it('prints faults for a terminal', () => {
    const faults = faultsOf(
      sinkFile(
        'destination: { type: elasticsearch, endpoint_url: http://h, index_name: i, auth_type: none, batch_size: 0 }',
      ),
    );
    expect(formatFaults(faults, 'millrace.yaml')).to.equal(
      'millrace.yaml:9:109 sinks[0].destination.batch_size: must be a whole number from 1 to 10000; Write a number in that range.',
    );
  });

  it('reads by path, with the files of functions beside it', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'millrace-file-'));
    try {
      const file = path.join(folder, 'millrace.yaml');
      writeFileSync(path.join(folder, 'f.ts'), '() => true');
      writeFileSync(file, 'functions: [{ name: f, type: filter, file: f.ts }, { name: g, type: filter, file: g.ts }]');
      const broken = (): unknown => readConfiguration({ env: {} }, { path: file });
      expect(broken).to.throw(MillraceError, /millrace\.yaml:1:\d+ functions\[1\]\.file: .*\(ENOENT\)/);
      writeFileSync(file, 'functions: [{ name: f, type: filter, file: f.ts }]');
      expect(readConfiguration({ env: {} }, { path: file }).config.functions[0]!.code).to.equal('() => true');
      const absent = (): unknown => readConfiguration({ env: {} }, { path: path.join(folder, 'none.yaml') });
      expect(absent).to.throw(MillraceError, /cannot be read \(ENOENT\)/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('reads a text of its own, without files beside it', () => {
    const yaml = 'functions: [{ name: f, type: filter, file: f.ts }]';
    expect(() => readConfiguration({ env: {} }, { yaml })).to.throw(MillraceError, /CONFIG_FILE_YAML:1:44/);
  });
});
