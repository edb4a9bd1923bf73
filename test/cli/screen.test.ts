import { expect } from 'chai';
import { openScreen } from '../../src/cli/screen.ts';
import { progressText } from '../../src/model/progress-text.ts';

function terminal(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  return { written, isTTY, columns, write: (text: string) => written.push(text) };
}

describe('progress', () => {
  it('tells how far something is', () => {
    expect(progressText({ done: 500, total: 2_000, rate: 350.4, left: 4.2, unit: 'rows' })).to.equal(
      '[######..................]  25 %  500 of 2,000 rows, 350 rows/s, 4 s left',
    );
    expect(progressText({ done: 12_345, unit: 'rows' })).to.equal('12,345 rows');
  });

  it('is not done because an estimate is reached: then it only counts', () => {
    const text = (done: number) => progressText({ done, total: 51, rate: 10, left: 0.2, unit: 'rows' });
    expect(text(50)).to.equal('[#######################.]  98 %  50 of 51 rows, 10 rows/s, 0 s left');
    expect([text(51), text(52)]).to.deep.equal(['51 rows, 10 rows/s', '52 rows, 10 rows/s']);
    expect(progressText({ done: 0, total: 0, unit: 'rows' })).to.equal('0 rows');
    expect(progressText({ done: 999_999, total: 1_000_000, unit: 'rows' })).to.include('] ' + ' 99 %');
  });

  it('draws over itself on a terminal, and cuts what is too long', () => {
    const out = terminal(true, 31);
    const screen = openScreen(out, () => 0);
    screen.show(['one', 'x'.repeat(40)]);
    screen.show(['one', 'x'.repeat(40)]);
    screen.show(['two']);
    screen.say('said');
    screen.end();
    screen.say('after');
    expect(out.written).to.deep.equal([
      `one\n${'x'.repeat(30)}\n`,
      '\u001b[2A\r\u001b[Jtwo\n',
      '\u001b[1A\r\u001b[Jsaid\ntwo\n',
      'after\n',
    ]);
  });

  it('draws on a terminal that does not know its width, on a narrow one, and with wide characters', () => {
    for (const [columns, line, drawn] of [
      [0, 'x'.repeat(120), 'x'.repeat(100)],
      [undefined, 'x'.repeat(120), 'x'.repeat(100)],
      [9, 'x'.repeat(30), 'x'.repeat(8)],
      [1, 'xyz', 'x'],
      [8, '表表表表表', '表表表'],
      [8, '🙂🙂🙂🙂🙂', '🙂🙂🙂'],
      [20, 'one\ntwo\r\n\u001b[2Jthree', 'one two [2Jthree'],
    ] as const) {
      const out = terminal(true, columns);
      openScreen(out, () => 0).show([line]);
      expect(out.written, `${columns}`).to.deep.equal([`${drawn}\n`]);
    }
  });

  it('obeys nothing in a line that stays, and changes nothing where a program reads it', () => {
    const line = 'extra  products\u001b]0;owned\u0007 _id "\u009b2J"\n  and 3 more';
    for (const [isTTY, said] of [
      [true, 'extra  products·]0;owned· _id "·2J"\n  and 3 more\n'],
      [false, `${line}\n`],
    ] as const) {
      const out = terminal(isTTY, 80);
      openScreen(out, () => 0).say(line);
      expect(out.written).to.deep.equal([said]);
    }
  });

  it('prints now and then elsewhere, and nothing twice', () => {
    const out = terminal(false);
    let now = 0;
    const screen = openScreen(out, () => now);
    const steps: [number, string][] = [
      [0, 'a'],
      [1_000, 'b'],
      [3_000, 'c'],
      [9_000, 'c'],
    ];
    for (const [at, text] of steps) {
      now = at;
      screen.show([text]);
    }
    screen.say('end');
    expect(out.written).to.deep.equal(['a\n', 'c\n', 'end\n']);
  });
});
