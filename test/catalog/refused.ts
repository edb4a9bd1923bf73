/** Declarations that are refused, by what is wrong with them. */
import { CA, code, database, PULL, retention, SHOP, search, sinkFile } from './support.ts';

/** A file, and the faults (field and message) that it has. */
export const refusedFiles: Record<string, [string, string[]][]> = {
  'unknown keys, with the one that was meant': [
    ['sink: []', ['sink is not a known key']],
    [sinkFile(`${PULL}\nmesage_grouping: true`), ['sinks[0].mesage_grouping is not a known key']],
    [search(', batchSize: 4'), ['sinks[0].destination.batchSize is not a known key']],
  ],
  "what Sequin has and we don't": [
    ['webhooks: []', ['webhooks takes requests in, which Millrace does not']],
    ['http_push_consumers: []', ['http_push_consumers is an older form']],
    [
      sinkFile(`${PULL}\ntimestamp_format: unix_microsecond`),
      ['sinks[0].timestamp_format Millrace writes ISO 8601 only'],
    ],
    [
      database('    url: postgres://h/d\n    primary: { hostname: h }'),
      ['databases[0].primary Millrace reads changes from a primary only'],
    ],
    [
      database('    hostname: h\n    database: d\n    password: p******s'),
      ['databases[0].password is what an export shows in place of a secret'],
    ],
    [database('    url: postgres://u:p******s@h/d'), ['databases[0].url is what an export shows in place of a secret']],
    [
      search('').replace('auth_type: none', 'auth_value: k******='),
      ['sinks[0].destination.auth_value is what an export shows in place of a secret'],
    ],
    [
      sinkFile('destination: { type: kafka, hosts: h }'),
      ['sinks[0].destination.type kafka: Millrace does not deliver to Kafka'],
    ],
    [
      sinkFile('destination: { type: webhook, http_endpoint: e }'),
      ['sinks[0].destination.http_endpoint names no entry of `http_endpoints`'],
    ],
    [
      sinkFile('destination: { type: redis_stream }'),
      ['sinks[0].destination.type redis_stream: Millrace does not deliver to Redis'],
    ],
    [
      sinkFile('destination: { type: sqs }'),
      ['sinks[0].destination.type sqs: Millrace does not deliver to Amazon SQS'],
    ],
    [sinkFile(`${PULL}\nenrichment: e`), ['sinks[0].enrichment Millrace has no enrichment functions']],
    [
      'functions: [{ name: e, type: enrichment, code: select 1 }]',
      ['functions[0].type Millrace has no enrichment functions'],
    ],
    [
      'functions:\n  - name: e\n    type: filter\n    code: |-\n      def filter(action, record, changes, metadata) do\n        true\n      end',
      ['functions[0].code is Elixir code, which Millrace does not run'],
    ],
    [
      database('    url: postgres://h/d\n    use_local_tunnel: true'),
      ['databases[0].use_local_tunnel Millrace has no tunnel'],
    ],
  ],
  'wrong values of a database': [
    [
      database('    pool_size: 0\n    url: postgres://h/d'),
      ['databases[0].pool_size must be a whole number from 1 to 100'],
    ],
    [
      database('    url: postgres://h/d\n    ssl: require'),
      ['databases[0].ssl must be prefer, true, false or { ca, verify }'],
    ],
    [database('    port: 5432'), ['databases[0].hostname is missing']],
    [database('    ssl: prefer'), ['databases[0].url is missing']],
    [database('    hostname: h'), ['databases[0].database is missing']],
    [database('    url: mysql://h/d'), ['databases[0].url must be a postgres:// URL']],
    [database('    url: postgres:///d'), ['databases[0].url names no host']],
    [database('    url: postgres://h'), ['databases[0].url names no database']],
    [
      database('    url: postgres://h/d?pgbouncer=true'),
      ['databases[0].url has the parameter `pgbouncer`, which Millrace does not take'],
    ],
    [
      database('    url: postgres://169.254.169.254/d'),
      ["databases[0].url cannot be connected to: 169.254.169.254 is a cloud provider's metadata address"],
    ],
    [
      database('    hostname: "fe80::1"\n    database: d'),
      ['databases[0].hostname cannot be connected to: fe80::1 is a link-local address'],
    ],
    [database('    url: postgres://h1,h2/d'), ['databases[0].url names several hosts']],
    [
      database('    url: postgres://h/d\n    ssl: { verify: ca }'),
      ['databases[0].ssl.verify is `ca`, and there is no `ca`'],
    ],
    [
      database(`    url: postgres://h/d\n    ssl: { verify: false, ca: ${CA} }`),
      ['databases[0].ssl.verify is false, although `ca` is given to verify by'],
    ],
    [
      database(`    url: postgres://h/d?sslmode=disable\n    ssl: { ca: ${CA} }`),
      ['databases[0].ssl.ca is given, and sslmode in `url` verifies nothing'],
    ],
    [database('    url: postgres://h/d?sslmode=maybe'), ['databases[0].url has an unknown sslmode']],
    [
      database('    url: postgres://h/d?sslmode=require\n    ssl: true'),
      ['databases[0].ssl is given together with sslmode in `url`'],
    ],
    [database('    url: postgres://h/d\n    password: x'), ['databases[0].password is given together with `url`']],
    [
      database('    url: postgres://h/d\n    ssl: { ca: nonsense }'),
      ['databases[0].ssl.ca must be a certificate in PEM form'],
    ],
    [
      database('    url: postgres://h/d\n    slot: { name: My-Slot }'),
      ['databases[0].slot.name must consist of 1 to 63 lower-case letters, digits and underscores'],
    ],
    [
      database('    url: postgres://h/d\n    publication: { name: p, init_sql: drop table x }'),
      ['databases[0].publication.init_sql must be a `create publication` statement'],
    ],
    [
      database('    url: postgres://h/d\n    publication: { name: p, init_sql: create publication q for all tables }'),
      ['databases[0].publication.init_sql makes a publication of another name'],
    ],
    [database('    url: postgres://h/d\n    annotations: { a: 1 }'), ['databases[0].annotations.a must be a text']],
    [
      `${SHOP}  - { name: two, url: postgres://db.example.com:6432/two, slot: { name: millrace } }`,
      ['databases[1].slot has the slot of a database above, on the same server'],
    ],
  ],
  'wrong functions': [
    [
      'functions: [{ name: f, type: map, code: x }]',
      ['functions[0].type must be one of transform, routing, filter, path'],
    ],
    ['functions: [{ name: f, code: x }]', ['functions[0].type is missing']],
    ['functions: [{ name: f, type: filter }]', ['functions[0].code is missing']],
    [
      'functions: [{ name: f, type: path, path: body.id }]',
      ['functions[0].path must start with record, changes, action or metadata, with names joined by dots'],
    ],
    [
      'functions: [{ name: f, type: path, code: x, path: record }]',
      ['functions[0].code does not belong to a function of this type'],
    ],
    [
      'functions: [{ name: f, type: filter, code: x, sink_type: pull }]',
      ['functions[0].sink_type is for routing functions only'],
    ],
    ['functions: [{ name: none, type: filter, code: x }]', ['functions[0].name is a reserved word']],
    [
      `functions: [{ name: f, type: filter, code: "${'x'.repeat(102_401)}" }]`,
      ['functions[0].code is longer than 100 KB'],
    ],
  ],
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
      ['sinks[0].source.include_tables[0] stands in `exclude_tables` too'],
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
      search(', batch_size: 5').replace('destination', 'batch_size: 6\n    destination'),
      ['sinks[0].batch_size contradicts `destination.batch_size`'],
    ],
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
  'references that lead nowhere or to the wrong thing': [
    [sinkFile(PULL).replace('database: shop', 'database: shp'), ['sinks[0].database names no database of this file']],
    [sinkFile(`${PULL}\ntransform: f`), ['sinks[0].transform names no function of this file']],
    [`${code('filter')}${sinkFile(`${PULL}\ntransform: f`)}`, ['sinks[0].transform names a function of type filter']],
    [`${code('transform')}${sinkFile(`${PULL}\nfilter: f`)}`, ['sinks[0].filter names a function of type transform']],
    [
      `${code('routing, sink_type: elasticsearch')}${sinkFile(`${PULL}\nrouting: f`)}`,
      ['sinks[0].routing names a routing function for elasticsearch'],
    ],
    [
      `api_tokens: [{ name: t, token: k3jd8sj2ls9dk3js8dk2ls, scopes: ["consume:other"] }]\n${sinkFile(PULL)}`,
      ['api_tokens[0].scopes[0] names no sink of this file'],
    ],
    [
      `api_tokens: [{ name: t, token: k3jd8sj2ls9dk3js8dk2ls, scopes: ["consume:worker"] }]\n${search('')}`,
      ['api_tokens[0].scopes[0] names a sink that nobody pulls from'],
    ],
    [
      `databases: [{ name: shop, url: "postgres://h/d" }]\nsinks: [{ name: s, database: shop, ${PULL} }]`,
      ['databases[0].slot is missing', 'databases[0].publication is missing'],
    ],
  ],
  'names and tokens that are not unique': [
    [
      `${sinkFile(PULL)}  - { name: worker, database: shop, ${PULL} }\n`,
      ['sinks[1].name is the name of a sink or change retention above'],
    ],
    [
      `${sinkFile(PULL)}change_retentions:\n${retention('worker', 'a', 'b')}`,
      ['change_retentions[0].name is the name of a sink or change retention above'],
    ],
    [
      'api_tokens: [{ name: a, token: k3jd8sj2ls9dk3js8dk2ls }, { name: b, token: k3jd8sj2ls9dk3js8dk2ls }]',
      ['api_tokens[1].token is the token of another entry'],
    ],
    ['api_tokens: [{ name: a, token: seven77 }]', ['api_tokens[0].token must have 8 characters or more']],
    ['api_tokens: [{ name: a, token: 12345678 }]', ['api_tokens[0].token must be a text']],
    [
      'api_tokens: [{ name: a, token: k3jd8sj2ls9dk3js8dk2ls, scopes: [write] }]',
      ['api_tokens[0].scopes[0] is not a scope'],
    ],
    [
      'functions: [{ name: 00000000-0000-0000-0000-000000000000, type: filter, code: x }]',
      ['functions[0].name looks like an id'],
    ],
  ],
  'change retentions that feed themselves, and wrong policies': [
    [
      `${SHOP}change_retentions:\n${retention('r', 'a', 'a')}`,
      ['change_retentions[0].destination_table_name is the source table itself'],
    ],
    [
      `${SHOP}change_retentions:\n${retention('r', 'a', 'b')}${retention('s', 'b', 'c')}${retention('t', 'c', 'a')}`,
      [
        'change_retentions[0].destination_table_name leads back to the source table, in a circle',
        'change_retentions[1].destination_table_name leads back to the source table, in a circle',
        'change_retentions[2].destination_table_name leads back to the source table, in a circle',
      ],
    ],
    [
      `${SHOP}change_retentions:\n${retention('r', 'a', 'b', ', retention: { by: job, keep: 1 month }')}`,
      ['change_retentions[0].retention.keep must be a period of time'],
    ],
    [
      `${SHOP}change_retentions:\n${retention('r', 'a', 'b', ', retention: { by: pg_partman, keep: 30 days, every: 1 day }')}`,
      ['change_retentions[0].retention.every is not for `by: pg_partman`, whose own maintenance says when'],
    ],
    [
      `${SHOP}change_retentions:\n${retention('r', 'a', 'b', ', retention: { by: pg_cron, keep: 30 days, interval: 1 day }')}`,
      ['change_retentions[0].retention.interval is for `by: pg_partman`'],
    ],
    [
      `${SHOP}change_retentions:\n${retention('r', 'a', 'b', ', retention: { by: pg_cron, keep: 30 days, every: 7 minutes }')}`,
      ['change_retentions[0].retention.every must divide an hour into minutes, or a day into hours, for `by: pg_cron`'],
    ],
    [
      `${SHOP}change_retentions:\n${retention('r', 'a', `"it's"`, ', retention: { by: pg_partman, keep: 30 days }')}`,
      ['change_retentions[0].destination_table_name must not contain an apostrophe: pg_partman does not take it'],
    ],
    [
      `${SHOP}change_retentions:\n${retention('r', 'a.b', 'c')}`,
      ['change_retentions[0].source_table_name must not contain a dot'],
    ],
  ],
};
