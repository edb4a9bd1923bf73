import { expect } from 'chai';
import { refusedFiles } from '../refused.ts';
import { refusedSinks } from '../refused-sinks.ts';
import { CA, code, database, faultsOf, linesOf, PULL, parse, search, sinkFile } from '../support.ts';

describe('the declaration', () => {
  for (const [what, files] of Object.entries({ ...refusedFiles, ...refusedSinks })) {
    it(`refuses ${what}`, () => {
      for (const [text, expected] of files) {
        const faults = faultsOf(text);
        expect(
          faults.map(({ field, message }) => `${field} ${message}`),
          text,
        ).to.deep.equal(expected);
        for (const { remedy, line, column } of faults) {
          expect(remedy, text).to.match(/\w/);
          expect([line! > 0, column! > 0], text).to.deep.equal([true, true]);
        }
      }
    });
  }

  it('suggests what was probably meant', () => {
    const remedy = (text: string): string | undefined => faultsOf(text)[0]?.remedy;
    expect(remedy('sink: []')).to.contain('`sinks`');
    expect(remedy(search(', batchSize: 4'))).to.contain('`batch_size`');
    expect(remedy(sinkFile(`${PULL}\nstatus: actve`))).to.contain('`active`');
    expect(remedy(sinkFile('destination: { type: elasticserch }'))).to.contain('`elasticsearch`');
    expect(remedy(sinkFile(PULL).replace('database: shop', 'database: shp'))).to.contain('`shop`');
  });

  it('reports what an entry refers to although it has faults of its own', () => {
    expect(
      linesOf(sinkFile('status: on\nfilter: f\ndestination: { type: kafka }')).map((line) => line.split(' ')[1]),
    ).to.deep.equal(['sinks[0].status', 'sinks[0].filter', 'sinks[0].destination.type']);
  });

  it('reads sslmode and encoded parts of an address', () => {
    const read = (url: string) => parse(database(`    url: "${url}"`)).config.databases[0]!;
    expect(read('postgres://a%40b:c%2Fd@[::1]:99/x%20y?sslmode=require')).to.deep.include({
      address: { host: '::1', port: 99, database: 'x y', user: 'a@b', password: 'c/d' },
    });
    expect(read('postgres://h/d?sslmode=require').settings.ssl).to.deep.equal({ ca: null, verify: false });
    expect(read('postgres://h/d?sslmode=verify-full').settings.ssl).to.equal(true);
    expect(read('postgres:///d?host=/var/run/postgresql').address.host).to.equal('/var/run/postgresql');
    const beside = (mode: string) =>
      parse(database(`    url: postgres://h/d?sslmode=${mode}\n    ssl: { ca: ${CA} }`)).config.databases[0]!.settings
        .ssl;
    expect(beside('verify-full')).to.have.property('verify', true);
    expect(beside('require')).to.have.property('verify', 'ca');
  });

  it('compares a field inside json by the type of the value', () => {
    const type = (value: string): unknown =>
      parse(
        sinkFile(`${PULL}\nfilters: [{ column_name: c, field_path: a.b, operator: "=", comparison_value: ${value} }]`),
      ).config.sinks[0]!.settings.filters[0]!.field_type;
    expect([type('1'), type('true'), type('x')]).to.deep.equal(['number', 'boolean', 'string']);
  });

  it('warns of what works but is hardly meant', () => {
    const warned = (text: string): string[] => parse(text).warnings.map(({ field, message }) => `${field} ${message}`);
    expect(warned('api_tokens: [{ name: a, token: password1, scopes: [read] }]')).to.deep.equal([
      'api_tokens[0].token is weak: it has fewer than 16 characters, not counting words that everybody tries',
    ]);
    expect(warned('api_tokens: [{ name: a, token: w8fj2la0pq7sn4mzx6vb1cyq }]')).to.deep.equal([
      "api_tokens[0] has no `scopes`, so it is an admin's: it may do everything",
    ]);
    expect(
      warned(search('').replace('destination', 'source: { include_tables: [a, b] }\n    destination')),
    ).to.deep.equal(['sinks[0].source sends several tables into one index, where equal keys overwrite each other']);
    expect(warned(`${code('routing')}${sinkFile(`${PULL}\nrouting: f`)}`)).to.deep.equal([
      'sinks[0].routing has no effect here: only a search index has an index name',
    ]);
  });

  it('shows no secret in any fault', () => {
    const secrets = ['hunter22', 'sEcReT', 'k3jd8sj2ls9dk3js8dk2ls'];
    const [password, auth, token] = secrets;
    const texts = [
      database(`    url: postgres://u:${password}@h/d?x=${password}`),
      database(`    url: ${password}`),
      database(`    url: postgres://u:${password}%zz@h/d`),
      database(`    hostname: h\n    database: d\n    password: [${password}]`),
      database(`    hostname: h\n    database: d\n    password: *${password}`),
      database(`    hostname: h\n    database: d\n    password: !${password} x`),
      database(`    hostname: h\n    database: d\n    password: ${password}: ${password}`),
      database(`    hostname: h\n    database: d\n    password: "${password}\\q`),
      database(`    hostname: h\n    database: d\n    password\n    ${password}: 1\n   b`),
      search(`, auth_value: { a: ${auth} }`),
      search(`, auth_value: ${auth}`).replace('none', 'basic'),
      search('').replace('http://h', `http://u:${auth}@h`),
      search('').replace('http://h', `u:${auth}@h`),
      `api_tokens: [{ name: a, token: "${token} x", scopes: [${token}] }]`,
      `api_tokens: [{ name: a, token: ${token} }, { name: a, token: ${token} }]`,
    ];
    for (const text of texts) {
      const faults = faultsOf(text);
      expect(faults, text).to.not.have.lengthOf(0);
      for (const secret of secrets) expect(JSON.stringify(faults), text).to.not.contain(secret);
    }
  });
});
