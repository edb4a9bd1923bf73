// biome-ignore-all lint/suspicious/noTemplateCurlyInString: that is the syntax under test
import { expect } from 'chai';
import fc from 'fast-check';
import { hidingFor } from '../../../src/catalog/declare/variables.ts';
import { linesOf, parse, sinkFile } from '../support.ts';

const database = (lines: string): string => `databases:\n  - name: shop\n    hostname: h\n    database: d\n${lines}\n`;

describe('variables in the configuration', () => {
  it('are replaced in plain, quoted and block texts, in lists and in flow mappings', () => {
    const text = `databases:
  - { name: \${NAME}, hostname: "db-\${HOST}.example.com", database: '\${DB:-d: # {x}', password: \${PW} }
api_tokens:
  - name: t
    token: |-
      \${TOKEN}
    scopes: [\${SCOPE:-read}]
`;
    const env = { NAME: 'shop', HOST: 'one', PW: 'a: b # c', TOKEN: 'abcdefghijklmnopqrstuvw', SCOPE: '' };
    const { config } = parse(text, { env });
    expect(config.databases[0]!.settings.name).to.equal('shop');
    expect(config.databases[0]!.address).to.include({
      host: 'db-one.example.com',
      database: 'd: # {x',
      password: 'a: b # c',
    });
    expect(config.tokens[0]!.scopes).to.deep.equal(['read']);
  });

  it('are typed as YAML would when they are a whole plain value, and text where a text is wanted', () => {
    const text = database(
      '    port: ${PORT:-6432}\n    ssl: ${SSL}\n    password: ${PW}\n    annotations: { a: ${A}, b: ${B:-} }',
    );
    const { config } = parse(text, { env: { SSL: 'false', PW: '0123', A: 'true' } });
    expect(config.databases[0]!.address).to.include({ port: 6432, password: '0123' });
    expect(config.databases[0]!.settings).to.deep.include({ ssl: false, annotations: { a: 'true', b: '' } });
    const filter = 'destination: { type: pull }\nfilters: [{ column_name: a, operator: "=", comparison_value: ${V} }]';
    const value = (v: string): unknown =>
      parse(sinkFile(filter), { env: { V: v } }).config.sinks[0]!.settings.filters[0]!.comparison_value;
    expect([value('12'), value('true'), value('1e3'), value('x')]).to.deep.equal([12, true, 1000, 'x']);
  });

  it('cannot add YAML of their own', () => {
    const env = { PW: 'x\n    port: 1\n    pool_size: 99', NAME: '*alias' };
    const { config } = parse(database('    password: ${PW}\n    annotations: { n: ${NAME} }'), { env });
    expect(config.databases[0]!.address).to.include({ password: env.PW, port: 5432 });
    expect(config.databases[0]!.settings).to.deep.include({ pool_size: 3, annotations: { n: '*alias' } });
  });

  it('are faults by name when they are not set, and nothing else is said of that key', () => {
    expect(linesOf(database('    port: ${PORT}\n    username: "a${ONE}b${TWO}"'))).to.deep.equal([
      '5:11 databases[0].port needs the variable PORT, which is not set',
      '6:15 databases[0].username needs the variable ONE, which is not set',
      '6:15 databases[0].username needs the variable TWO, which is not set',
    ]);
  });

  it('are faults when they are written wrongly, and text after a second dollar', () => {
    for (const wrong of ['${A-b}', '${1}', '${A:?}', 'x${', '${A:-${B:-c}}']) {
      expect(linesOf(database(`    password: '${wrong}'`), { env: { A: 'a' } }), wrong).to.deep.equal([
        '5:15 databases[0].password holds a `${` that is not a variable',
      ]);
    }
    const passwords = (...lines: string[]): string[] =>
      lines.map((line) => parse(database(`    password: ${line}`)).config.databases[0]!.address.password);
    expect(passwords("'a$${B}c'", "'$${'", "'$$${B'", "'$${}'")).to.deep.equal(['a${B}c', '${', '$${B', '${}']);
    // What YAML makes of an escape is text.
    expect(passwords('"\\x24{B}"', '"\\u0024{B:-c} \\x24{"')).to.deep.equal(['${B}', '${B:-c} ${']);
  });

  it('are told to want braces where other tools replace them without', () => {
    const warned = (line: string): string[] =>
      parse(database(line), { env: { DB_PASSWORD: 'hunter22' } }).warnings.map(
        ({ field, message }) => `${field} ${message}`,
      );
    const told = 'databases[0].password holds `$NAME` without braces, which stays as it is';
    expect(warned('    password: $DB_PASSWORD')).to.deep.equal([told]);
    expect(warned('    password: "x-$DB_PASSWORD-y"')).to.deep.equal([told]);
    expect(warned("    password: '$NOT_SET'")).to.deep.equal([told]);
    for (const plain of ['a$b$NOT_SET', '$$DB_PASSWORD', '${DB_PASSWORD}', '$', '$5up3r', 'DB_PASSWORD'])
      expect(warned(`    password: '${plain}'`), plain).to.deep.equal([]);
    const code = '(a, record) => ({ $DB_PASSWORD: record.id })';
    expect(
      parse(`functions: [{ name: f, type: transform, code: "${code}" }]`, { env: { DB_PASSWORD: '' } }).warnings,
    ).to.deep.equal([]);
  });

  it("leave JavaScript's own templates alone, and are replaced in code with a default", () => {
    const code = '(a, record) => `${record.id} ${a} $${a} ${LIMIT:-10}`';
    const { config } = parse(`functions:\n  - name: f\n    type: transform\n    code: |-\n      ${code}\n`, {
      env: { a: 'no', LIMIT: '20' },
    });
    expect(config.functions[0]!.code).to.equal('(a, record) => `${record.id} ${a} $${a} 20`');
  });

  it('hide and show without loss and without moving anything', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('$', '{', '}', ':', '-', 'A', 'é', ' ', '"', '\ue024') }),
        (text) => {
          const hiding = hidingFor(text)!;
          const hidden = hiding.hide(text);
          expect(hidden).to.have.lengthOf(text.length);
          expect(hiding.show(hidden)).to.equal(text);
        },
      ),
    );
    expect(hidingFor('')!.replace('plain', {})).to.equal(undefined);
  });
});
