import { expect } from 'chai';
import { jsonLines } from '../../src/console/lib/json-lines.ts';

const drawn = (text: string): string[] =>
  jsonLines(text).map(({ depth, tokens }) => `${'  '.repeat(depth)}${tokens.map((token) => token.text).join('')}`);

describe('JSON as lines', () => {
  it('keeps every digit and every sign of a text, whatever stands in it', () => {
    const text =
      '{"id":9223372036854775807,"n":12345678901234567890.1200,"s":"a, \\"b\\": {","e":[],"l":[1,{"x":null}]}';
    expect(drawn(text)).to.deep.equal([
      '{',
      '  "id": 9223372036854775807,',
      '  "n": 12345678901234567890.1200,',
      '  "s": "a, \\"b\\": {",',
      '  "e": [],',
      '  "l": [',
      '    1,',
      '    {',
      '      "x": null',
      '    }',
      '  ]',
      '}',
    ]);
  });

  it('knows where each line stands', () => {
    const paths = jsonLines('{"record":{"a":{"b":1},"c":[{"d":2}]},"e":3}').map(({ path }) => path);
    expect(paths).to.include.members(['record.a.b', 'record.c.d', 'e']);
    expect(paths.filter((path) => path === 'e')).to.have.length(1);
  });

  it('draws a text that ends in its middle', () => {
    expect(drawn('{"a":[1,{"b":"tex')).to.deep.equal(['{', '  "a": [', '    1,', '    {', '      "b": "tex']);
  });
});
