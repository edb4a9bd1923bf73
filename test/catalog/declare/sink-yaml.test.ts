/** A sink printed as an entry of the file is the same sink when it is read again. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { CREDENTIAL, sinkYaml } from '../../../src/catalog/declare/sink-yaml.ts';
import { parse, SHOP, search, sinkFile } from '../support.ts';

const functions = `functions:
  - { name: f, type: filter, code: "() => true" }
  - { name: t, type: path, path: record.id }
`;
const again = (text: string) => {
  const { settings, secret } = parse(`${functions}${text}`).config.sinks[0]!;
  const yaml = sinkYaml(settings, secret);
  const read = parse(`${functions}${SHOP}${yaml}`, { env: { [CREDENTIAL]: secret ?? '' } }).config.sinks[0]!;
  expect(read, yaml).to.deep.equal({ settings, secret });
  return yaml;
};

describe('a sink as YAML', () => {
  it('has only what is not default', () => {
    expect(again(search(''))).to.equal(`sinks:
  - name: worker
    database: shop
    destination:
      type: elasticsearch
      endpoint_url: http://h:9200
      index_name: i
      auth_type: none
`);
  });

  it('is the same sink when it is read again, whatever it says', () => {
    again(
      sinkFile(
        'destination: { type: sequin_stream, max_per_group: 3 }\nmessage_grouping: false\nfilter: f\ntransform: t',
      ),
    );
    again(search(', compression: gzip, versioning: none, batch_size: 7, tls: { verify: false }'));
    again(
      sinkFile(`source: { include_tables: ["a b.c", orders], exclude_schemas: [x] }
actions: [insert]
filters:
  - { column_name: price, operator: ">", comparison_value: 0 }
  - { column_name: "a: b", operator: is_null }
  - { column_name: payload, field_path: customer.tier, field_type: string, operator: in, comparison_value: [yes, "12", "$\${HOME}"] }
filter_leave: keep
annotations: { owner: "billing # 1", empty: "" }
max_retry_count: 3
status: paused
initial_backfill: [{ table: orders }, { table: a b.c, type: partial, sort_column: id, start_position: 3 }]
destination: { type: elasticsearch, endpoint_url: https://h, index_name: i, auth_type: basic, auth_value: "ann:hush" }`),
    );
  });

  it('shows no credential', () => {
    const yaml = again(
      sinkFile('destination: { type: elasticsearch, endpoint_url: http://h, index_name: i, auth_value: hush-hush }'),
    );
    expect(yaml).to.include(`auth_value: \${${CREDENTIAL}}`).and.not.include('hush');
  });

  it('holds of the example of this project', () => {
    const example = readFileSync(new URL('../../../millrace.yaml.example', import.meta.url), 'utf8');
    const { config } = parse(example, { env: { API_TOKEN: 'k3jd8sj2ls9dk3js8dk2ls' }, readFile: () => '() => true' });
    const { settings } = config.sinks.find(({ settings: { destination } }) => destination.type === 'elasticsearch')!;
    expect(sinkYaml(settings, null)).to.include('initial_backfill: true').and.include('include_tables:');
  });
});
