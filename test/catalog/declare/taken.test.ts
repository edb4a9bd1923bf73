/** Files of Sequin's: what is taken without effect, and what is refused with what to do. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { withoutTaken } from '../../../src/catalog/declare/taken.ts';
import { linesOf, parse, SHOP, sinkFile } from '../support.ts';

const EXPORT = readFileSync(new URL('./data/sequin-export.yaml', import.meta.url), 'utf8');
const PULL = 'destination: { type: pull }';

describe('a file of another system', () => {
  it('is applied as it was exported, with a warning where somebody might expect more', () => {
    const { config, warnings } = parse(EXPORT);
    expect(warnings.map(({ field, line }) => `${line} ${field}`)).to.deep.equal([
      '9 users[0].password',
      '12 api_tokens[0]',
      '14 api_tokens[0].token',
      '32 databases[0].ssl',
      '42 databases[0].publication.schemas',
      '78 sinks[0].batch_size',
      '83 sinks[0].load_shedding_policy',
      '84 sinks[0].consumer_start',
      '101 sinks[1].batch_size',
    ]);
    for (const { remedy } of warnings) expect(remedy).to.be.a('string').and.not.equal('');
    expect(config.databases[0]!.settings).to.deep.include({ ssl: true, annotations: {} });
    expect(config.databases[0]!.settings.publication.name).to.equal('sequin_pub');
    expect(config.functions).to.deep.equal([
      { name: 'nested', type: 'transform', sink_type: null, code: '(action, record) => record', path: null },
      { name: 'plain', type: 'filter', sink_type: null, code: '() => true', path: null },
      { name: 'flat', description: 'the id alone', type: 'path', sink_type: null, code: null, path: 'record.id' },
      { name: 'older', type: 'path', sink_type: null, code: null, path: 'record' },
    ]);
    const [stream, index, hook, audit] = config.sinks.map(({ settings }) => settings);
    expect(stream).to.deep.include({ tables: [], transform: 'flat', annotations: {} });
    expect(stream!.source.include_tables).to.deep.equal(['public.users']);
    expect(stream!.destination.type).to.equal('sequin_stream');
    expect(index!.destination).to.include({ batch_size: 250, index_name: 'users' });
    expect(hook!.destination).to.deep.include({ url: 'https://hooks.example.com/users', batch: true, batch_size: 10 });
    expect(hook!.tables).to.deep.equal([]);
    expect(audit!.filters).to.deep.equal([
      { column_name: 'status', operator: '=', comparison_value: 'active', field_path: null, field_type: null },
    ]);
  });

  it('has the same effect as one without those keys', () => {
    const plain = sinkFile(`source: { include_tables: [users] }\n${PULL}`);
    const full = plain
      .replace('    slot:', '    id: x\n    tables: [a]\n    ipv6: true\n    primary: ~\n    slot:')
      .replace(
        '    source:',
        '    id: y\n    health: {}\n    enrichment: ~\n    tables: ~\n    batch_size: ~\n    source:',
      );
    expect(parse(full).config).to.deep.equal(parse(plain).config);
    expect(parse(full).warnings).to.deep.equal([]);
  });

  it('names the account of a user, as its playground does', () => {
    const { config } = parse('users: [{ account: Playground, email: ann@a.example, password: a long password }]');
    expect(config.users?.map(({ email }) => email)).to.deep.equal(['ann@a.example']);
  });

  it('is refused where such a key would mean something that is not there', () => {
    const sink = (line: string): string[] => linesOf(sinkFile(`${line}\n${PULL}`));
    expect(sink('enrichment: add-user')).to.deep.equal([
      '9:5 sinks[0].enrichment Millrace has no enrichment functions',
    ]);
    expect(sink('mesage_kind: event')).to.deep.equal(['9:5 sinks[0].mesage_kind is not a known key']);
    expect(sink('timestamp_format: unix_microsecond')).to.deep.equal([
      '9:23 sinks[0].timestamp_format Millrace writes ISO 8601 only',
    ]);
    const database = (line: string): string[] => linesOf(`${SHOP}    ${line}\n`);
    expect(database('use_local_tunnel: true')[0]).to.include('Millrace has no tunnel');
    expect(database('primary: { hostname: h }')[0]).to.include('reads changes from a primary only');
    expect(database('health: {}')).to.deep.equal(['6:5 databases[0].health is not a known key']);
  });

  it('names tables that group by their key, whether or not anything is grouped', () => {
    const sink = (...lines: string[]): string => sinkFile([...lines, PULL].join('\n'));
    for (const table of [
      '{ name: users }',
      '{ name: users, group_column_names: ~ }',
      '{ name: users, group_column_names: [] }',
    ])
      for (const grouping of ['true', 'false']) {
        const { config, warnings } = parse(sink(`tables: [${table}]`, `message_grouping: ${grouping}`));
        expect([config.sinks[0]!.settings.tables, warnings], table).to.deep.equal([[], []]);
      }
    expect(linesOf(sink('tables: [{ name: users }, { name: orders, group_columns: [a] }]'))).to.deep.equal([
      '9:47 sinks[0].tables[1].group_columns is not a known key',
    ]);
  });

  it('may hold templates beside its sections, but no section that is misspelt', () => {
    const sinks = (top: string, rest = ''): string =>
      `${top}\n${SHOP}sinks:\n  - { name: a, database: shop, ${rest} }\n`;
    expect(linesOf(sinks('t: &t { destination: { type: pull } }', '<<: *t'))).to.deep.equal([]);
    expect(linesOf(sinks('t: &t { type: pull, max_waiting: 3 }', 'destination: *t'))).to.deep.equal([]);
    expect(linesOf(sinks('x-anything: [1, { a: b }]', PULL))).to.deep.equal([]);
    expect(linesOf(sinks('t: { type: pull, max_waitin: 3 }', PULL))).to.deep.equal(['1:1 t is not a known key']);
    expect(linesOf(sinks('t: {}', PULL))).to.deep.equal(['1:1 t is not a known key']);
    expect(linesOf(sinks('sink: [{ name: a }]', PULL))).to.deep.equal(['1:1 sink is not a known key']);
    expect(linesOf(sinks('acount: { name: acme }', PULL))).to.deep.equal(['1:1 acount is not a known key']);
  });

  it('is told that `ssl: true` says more here, where the file is of that system', () => {
    const of = (lines: string): string[] =>
      parse(`databases:\n  - name: a\n    hostname: h\n    database: d\n${lines}`).warnings.map(({ field }) => field);
    expect(of('    ssl: true\n    slot_name: s\n')).to.deep.equal(['databases[0].ssl']);
    expect(of('    ssl: "true"\n    ipv6: false\n')).to.deep.equal(['databases[0].ssl']);
    expect(of('    ssl: true\n')).to.deep.equal([]);
    expect(of('    ssl: false\n    slot_name: s\n')).to.deep.equal([]);
    expect(of('    password: ""\n')).to.deep.equal(['databases[0].password']);
  });

  it('is left as it was, whatever it is', () => {
    for (const raw of [undefined, null, 1, 'x', [], { sinks: null }, { sinks: [null, 1, []] }, { databases: {} }])
      expect(withoutTaken(raw)).to.deep.equal({ raw, warnings: [] });
    const raw = { sinks: [{ id: 1, name: 'a' }], constructor: 1, toString: { a: 1 } };
    const before = structuredClone(raw);
    expect(withoutTaken(raw).raw).to.deep.equal({ ...before, sinks: [{ name: 'a' }] });
    expect(raw).to.deep.equal(before);
  });
});
