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
    [
      database('    url: postgres://h/d\n    capture: polling\n    trigger_errors: stop'),
      ['databases[0].capture must be replication or triggers', 'databases[0].trigger_errors must be fail or skip'],
    ],
    [
      `databases:\n  - { name: a, url: postgres://h/d, capture: triggers }\n  - { name: b, url: postgres://H/d, capture: triggers }`,
      ['databases[1].capture is triggers, and a database above captures the same database by triggers'],
    ],
    [
      `databases: [{ name: shop, url: "postgres://h/d", capture: triggers }]\nsinks: [{ name: s, database: shop, ${PULL} }]`,
      ['databases[0].publication is missing'],
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
      'users: [{ email: ann@a.example, password: a long one }, { email: Ann@A.example, password: another one }]',
      ['users[1].email is the address of a user above (capital letters make no difference)'],
    ],
    [
      `${sinkFile('destination: { type: webhook, http_endpoint: h }')}http_endpoints: [{ name: h, url: "https://a" }, { name: h, url: "https://b" }]`,
      ['http_endpoints[1].name is the name of an endpoint above'],
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
