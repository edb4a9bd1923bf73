import { expect } from 'chai';
import { isElixir } from '../../../src/catalog/declare/elixir.ts';

describe('Elixir', () => {
  it('is told by its definitions', () => {
    for (const text of [
      'def transform(action, record, changes, metadata) do\n  record\nend',
      'def transform(action, record, changes, metadata), do: record',
      'def transform(\n  action,\n  record\n) do\n  record\nend',
      '# comment\n\n  defp route(_a, r) do\nend',
      'def transform do\r\n  1\r\nend',
      'def f(a),do: a',
    ]) {
      expect(isElixir(text), text).to.equal(true);
    }
  });

  it('is not told of JavaScript', () => {
    for (const text of [
      '(action, record) => record',
      'const def = (x) => x\nexport default () => def(1)',
      '// def and do\n() => { do { } while (false) }',
      'default do',
      '/*\n def what you like\n*/ () => 1',
      'function undo(a) { return redo(a) }\nundo',
      'def\n(x) do',
      '',
    ]) {
      expect(isElixir(text), text).to.equal(false);
    }
  });

  it('is looked for in work that grows with the length of the text alone', () => {
    let work = 0;
    class Counted extends String {
      override charCodeAt(at: number): number {
        work += 1;
        return super.charCodeAt(at);
      }
    }
    const size = 1_048_576;
    for (const piece of [
      '\n',
      ' ',
      '\t\n',
      'def f(',
      'def f(\n',
      'def f()',
      'def ',
      ') d',
      'defp f() \n',
      'def f(a), ',
      'do \n',
    ]) {
      work = 0;
      const text = new Counted(piece.repeat(size / piece.length));
      expect(isElixir(text), JSON.stringify(piece)).to.equal(false);
      expect(work, JSON.stringify(piece)).to.be.below(24 * size);
    }
  });
});
