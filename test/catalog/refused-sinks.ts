/** Declarations of sinks that are refused, by what is wrong with them. */
import { PULL, search, sinkFile } from './support.ts';

/** A file, and the faults (field and message) that it has. */
export const refusedSinks: Record<string, [string, string[]][]> = {
  'wrong sinks': [
    [sinkFile(''), ['sinks[0].destination is missing']],
    [sinkFile('destination: {}'), ['sinks[0].destination.type is missing']],
    [sinkFile('destination: { type: elastic }'), ['sinks[0].destination.type is not a kind of destination']],
    [
      sinkFile('destination: { type: change_table }'),
      ['sinks[0].destination.type is declared under `change_retentions:`'],
    ],
    [sinkFile(`${PULL}\nstatus: actve`), ['sinks[0].status must be one of active, paused, disabled']],
    [sinkFile(`${PULL}\nactions: []`), ['sinks[0].actions must name at least one action']],
    [
      sinkFile(`${PULL}\nsource: { include_tables: [a.b.c] }`),
      ['sinks[0].source.include_tables[0] must be `schema.table` or `table`'],
    ],
    [
      sinkFile(`${PULL}\nsource: { include_tables: [] }`),
      ['sinks[0].source.include_tables is an empty list, which matches nothing'],
    ],
    [
      sinkFile(`${PULL}\nsource: { include_tables: [a], exclude_tables: [public.a] }`),
      ['sinks[0].source.include_tables[0] is in `exclude_tables` too'],
    ],
    [sinkFile(`${PULL}\ntable: a\nschema: b`), ['sinks[0].schema is given together with `table`']],
    [sinkFile(`${PULL}\ngroup_column_names: [a]`), ['sinks[0].group_column_names names columns of no table']],
    [
      sinkFile(`${PULL}\ntable: a\ntables: [{ name: b, group_column_names: [c] }]`),
      ['sinks[0].tables[0].name is not a table of this sink'],
    ],
    [
      sinkFile(`${PULL}\ntable: a\nmessage_grouping: false\ngroup_column_names: [c]`),
      ['sinks[0].group_column_names has no effect with `message_grouping: false`'],
    ],
    [sinkFile(`${PULL}\nfilter_leave: delete`), ['sinks[0].filter_leave is for search indexes']],
    [sinkFile(`${PULL}\nmax_retry_count: -1`), ['sinks[0].max_retry_count must be a whole number from 0 to 1000000']],
    [sinkFile(`${PULL}\nmax_ack_pending: 5`), ['sinks[0].max_ack_pending is a key of `destination`']],
    [
      sinkFile('destination: { type: pull, visibility_timeout_ms: 499 }'),
      ['sinks[0].destination.visibility_timeout_ms must be a whole number from 500 to 43200000'],
    ],
    [
      sinkFile('destination: { type: pull, visibility_timeout_ms: 43200001 }'),
      ['sinks[0].destination.visibility_timeout_ms must be a whole number from 500 to 43200000'],
    ],
    [
      sinkFile('destination: { type: pull, max_deliver: 3 }'),
      ['sinks[0].destination.max_deliver has another name here'],
    ],
    [search(', batch_size: 10001'), ['sinks[0].destination.batch_size must be a whole number from 1 to 10000']],
    [search(', batch_size: 1.5'), ['sinks[0].destination.batch_size must be a whole number from 1 to 10000']],
    [
      search('').replace('http://h:9200', 'ftp://h'),
      ['sinks[0].destination.endpoint_url must be an http:// or https:// URL'],
    ],
    [
      search('').replace('http://h', 'http://0xa9fea9fe'),
      [
        "sinks[0].destination.endpoint_url cannot be connected to: 169.254.169.254 is a cloud provider's metadata address",
      ],
    ],
    [
      search('').replace('http://h', 'http://u:p@h'),
      ['sinks[0].destination.endpoint_url must not contain credentials'],
    ],
    [search('').replace('9200', '9200/?q=1'), ['sinks[0].destination.endpoint_url must be a base URL']],
    [
      search('').replace('index_name: i', 'index_name: Products'),
      ['sinks[0].destination.index_name is not a name that a search engine takes'],
    ],
    [search('').replace('none', 'api_key'), ['sinks[0].destination.auth_value is missing']],
    [search(', auth_value: x').replace('none', 'basic'), ['sinks[0].destination.auth_value must be `user:password`']],
    [
      search(', auth_value: "a b"').replace('none', 'bearer'),
      ['sinks[0].destination.auth_value holds a space, a line break or another character that no header takes'],
    ],
  ],
  'wrong column filters': [
    [
      'operator: like, comparison_value: a',
      ['operator must be one of =, !=, >, <, >=, <=, in, not_in, is_null, not_null'],
    ],
    ['operator: in, comparison_value: a', ['comparison_value must be a list for `in`']],
    ['operator: not_in, comparison_value: []', ['comparison_value must be a list for `not_in`']],
    ['operator: "=", comparison_value: [a]', ['comparison_value must be one value for `=`']],
    [
      'operator: "=", comparison_value: { a: 1 }',
      ['comparison_value must be a text, a number, true, false or a list of these'],
    ],
    ['operator: "="', ['comparison_value is missing']],
    ['operator: "=", comparison_value: null', ['comparison_value is missing']],
    ['operator: is_null, comparison_value: a', ['comparison_value does not go with `is_null`']],
    ['operator: ">", comparison_value: true', ['comparison_value has no order for `>`']],
    [
      'operator: ">", comparison_value: 12345678901234567890',
      ['comparison_value has more digits than a number keeps here'],
    ],
    [
      'operator: "=", comparison_value: 0.1234567890123456789',
      ['comparison_value has more digits than a number keeps here'],
    ],
    [
      'operator: in, comparison_value: [1, 1.00000000000000000001e2]',
      ['comparison_value has more digits than a number keeps here'],
    ],
    ['operator: ">", comparison_value: 1e400', ['comparison_value has more digits than a number keeps here']],
    [
      'operator: ">", comparison_value: ${' + 'NONE:-+.1234567890123456789}',
      ['comparison_value has more digits than a number keeps here'],
    ],
    [
      'operator: ">", comparison_value: 0.1234567890123456789, field_path: b',
      ['comparison_value has more digits than a number keeps here'],
    ],
    ['operator: "=", comparison_value: a, field_type: string', ['field_type is for a field inside a json column']],
    ['operator: "=", comparison_value: a, field_path: b, field_type: number', ['comparison_value is not a number']],
    [
      'operator: "=", comparison_value: soon, field_path: b, field_type: datetime',
      ['comparison_value is not a datetime'],
    ],
    ['operator: "=", comparison_value: a, field_path: b..c', ['field_path has an empty part']],
  ].map(([filter, faults]) => [
    sinkFile(`${PULL}\nfilters: [{ column_name: c, ${filter} }]`),
    [faults].flat().map((fault) => `sinks[0].filters[0].${fault}`),
  ]),
};
