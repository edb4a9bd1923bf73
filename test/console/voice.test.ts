import { expect } from 'chai';
import { createVoice } from '../../src/console/lib/voice.ts';

describe('console: what is read aloud', () => {
  let now: number;
  let later: { at: number; act: () => void }[];
  let heard: string[];
  let voice: ReturnType<typeof createVoice>;
  beforeEach(() => {
    now = 0;
    later = [];
    heard = [];
    voice = createVoice({ now: () => now, after: (ms, act) => void later.push({ at: now + ms, act }) });
  });
  const say = (place: string, text: string): void => voice.say(place, text, () => heard.push(`${now}: ${text}`));
  const pass = (until: number): void => {
    for (let due = later.shift(); due !== undefined; due = later.shift()) {
      if (due.at > until) {
        later.unshift(due);
        break;
      }
      now = due.at;
      due.act();
    }
    now = until;
  };

  it('is said at once, then at most once in 5 s, in the newest words', () => {
    for (const percent of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]) {
      say('progress', `${percent} %`);
      pass(percent * 1_000);
    }
    expect(heard).to.deep.equal(['0: 1 %', '5000: 5 %', '10000: 10 %']);
    pass(60_000);
    expect(heard.slice(3)).to.deep.equal(['15000: 12 %']);
  });

  it('is not said again while it is the same, nor when it was so again before its turn', () => {
    say('newer', '3');
    pass(6_000);
    say('newer', '3');
    say('other', 'x');
    say('newer', '4');
    say('newer', '3');
    pass(60_000);
    expect(heard).to.deep.equal(['0: 3', '6000: x']);
  });

  it('comes of several places one after the other, who came first before who came later', () => {
    say('a', 'a1');
    say('b', 'b1');
    say('c', 'c1');
    say('b', 'b2');
    pass(60_000);
    expect(heard).to.deep.equal(['0: a1', '5000: b2', '10000: c1']);
  });

  it('is nothing any more of a place that has nothing to say, or is gone; and is said anew when it has', () => {
    say('a', 'a1');
    say('b', 'b1');
    voice.forget('b');
    say('c', 'c1');
    say('c', '');
    pass(4_000);
    say('a', '');
    say('a', 'a1');
    pass(60_000);
    expect(heard).to.deep.equal(['0: a1', '0: ', '4000: ', '5000: a1']);
  });
});
