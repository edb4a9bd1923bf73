/** The dispatcher with a box made of cardboard: who is blamed when it dies, and what is run again. */
import { expect } from 'chai';
import { Dispatcher } from '../../src/transform/dispatch.ts';
import type { Result, Work } from '../../src/transform/job.ts';
import { cut } from '../../src/transform/protocol/item.ts';
import type { ToBox } from '../../src/transform/protocol/messages.ts';
import { LIMITS } from '../../src/transform/protocol/result.ts';
import type { BoxEvents } from '../../src/transform/start-process.ts';
import { code, recordingLog } from '../support/fixtures/sandbox.ts';

type Run = Extract<ToBox, { kind: 'run' }>;

interface Rules {
  kills?: (items: string[], box: number) => boolean;
  hangs?: (items: string[]) => boolean;
  retires?: (items: string[], box: number) => boolean;
  /** Answers so many messages too few. */
  omits?: (items: string[]) => number;
  /** Lines in place of the answers. */
  says?: (items: string[]) => string | undefined;
  /** These messages leave no room for an answer. */
  fills?: (items: string[]) => boolean;
  starts?: boolean;
  reads?: number;
}

/** A box that answers with the items, unless one of them is in `kills`. */
class CardboardBoxes {
  started = 0;
  /** Items of each request, in order. */
  readonly seen: string[][] = [];
  readonly defined: string[] = [];
  /** What is in the box, whenever something is put into it. */
  readonly inside: string[][] = [];
  readonly rules: Rules;

  constructor(rules: Rules) {
    this.rules = rules;
  }

  start = (events: BoxEvents) => {
    this.started += 1;
    const box = this.started;
    let dead = false;
    const die = (why: string) => {
      if (dead) return;
      dead = true;
      queueMicrotask(() => events.exited(why));
    };
    queueMicrotask(() => {
      if (this.rules.starts === false) die('exit code 1');
      else events.message({ kind: 'ready', sameAccount: true });
    });
    const itemsOf = ({ chunk }: Run) => chunk.lengths.map((_length, at) => cut(chunk, at, at + 1).text.slice(1, -1));
    const held = new Map<number, string[]>();
    const answer = (request: Run) => {
      const { id } = request;
      const items = itemsOf(request);
      if (dead) return;
      this.seen.push(items);
      if (this.rules.hangs?.(items)) return;
      if (this.rules.kills?.(items, box)) return die('SIGSEGV');
      const answered = items.slice(this.rules.omits?.(items) ?? 0);
      const retire = this.rules.retires?.(items, box) ?? false;
      const lines = this.rules.says?.(items) ?? answered.map((item) => `v${item}\n`).join('');
      held.delete(id);
      const full = this.rules.fills?.(items) ?? false;
      events.message({ kind: 'answers', id, lines: full ? '' : lines, full, reads: this.rules.reads ?? 4, retire });
    };
    return {
      pid: box,
      wrap: [],
      send: (request: ToBox) => {
        if (request.kind === 'define') this.defined.push(`${box}:${request.fn.name}`);
        if (request.kind !== 'run') return;
        held.set(request.id, itemsOf(request));
        this.inside.push([...held.values()].flat());
        setImmediate(answer, request);
      },
      kill: () => die('SIGKILL'),
    };
  };
}

const work = (...items: string[]): Work => ({
  kind: 'run',
  fn: code('() => 1'),
  sinkNo: 7,
  room: { left: 1e9 },
  items,
});
const other: Work = { kind: 'run', fn: code('() => 2'), sinkNo: 7, room: { left: 1e9 }, items: ['x'] };
const fateOf = ({ answers }: Result) =>
  answers.map((answer) => ('complaint' in answer ? answer.complaint.kind : 'text' in answer ? answer.text : undefined));
const open = (boxes: CardboardBoxes, limits = {}) => {
  const log = recordingLog();
  return { log, dispatcher: new Dispatcher({ log, start: boxes.start }, { ...LIMITS, ...limits }) };
};

describe('the dispatcher', () => {
  it('runs a killed chunk again message by message, and gives up the one that kills twice', async () => {
    const boxes = new CardboardBoxes({ kills: (records) => records.includes('b') });
    const { dispatcher, log } = open(boxes);
    expect(fateOf(await dispatcher.run(work('a', 'b', 'c')))).to.deep.equal(['a', 'killed', 'c']);
    expect(boxes.seen).to.deep.equal([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
    expect(boxes.started).to.equal(3);
    expect(log.notes.filter((note) => note.level === 'warn')).to.have.length(2);
    await dispatcher.close();
  });

  it('gives a message that was alone one more try', async () => {
    const boxes = new CardboardBoxes({ kills: (_records, box) => box === 1 });
    const { dispatcher } = open(boxes);
    expect(fateOf(await dispatcher.run(work('a')))).to.deep.equal(['a']);
    const always = new CardboardBoxes({ kills: () => true });
    const second = open(always);
    expect(fateOf(await second.dispatcher.run(work('a')))).to.deep.equal(['killed']);
    expect(always.seen).to.deep.equal([['a'], ['a']]);
    await dispatcher.close();
    await second.dispatcher.close();
  });

  it('blames nobody who was only near, and runs suspects alone', async () => {
    const boxes = new CardboardBoxes({ kills: (records) => records.includes('b') });
    const { dispatcher } = open(boxes);
    const results = await Promise.all([dispatcher.run(work('b')), dispatcher.run(other), dispatcher.run(work('c'))]);
    expect(results.flatMap(fateOf)).to.deep.equal(['killed', 'x', 'c']);
    await dispatcher.close();
  });

  it('ends the answers of a killed chunk at the first message that finds no room', async () => {
    const boxes = new CardboardBoxes({
      kills: (records) => records.includes('b'),
      fills: (records) => records.includes('d'),
    });
    const { dispatcher } = open(boxes);
    const result = await dispatcher.run(work('a', 'b', 'c', 'd', 'e'));
    expect(fateOf(result)).to.deep.equal(['a', 'killed', 'c']);
    await dispatcher.close();
  });

  it('kills a box that is silent', async () => {
    const boxes = new CardboardBoxes({ hangs: (records) => records.includes('b') });
    const { dispatcher, log } = open(boxes, { silenceMs: 20 });
    expect(fateOf(await dispatcher.run(work('a', 'b')))).to.deep.equal(['a', 'killed']);
    expect(log.notes.some((note) => note.text.includes('does not answer'))).to.equal(true);
    await dispatcher.close();
  });

  it('replaces a box that asks for it without blame', async () => {
    const boxes = new CardboardBoxes({ retires: (records, box) => records.includes('a') && box === 1 });
    const { dispatcher } = open(boxes);
    const results = await Promise.all([dispatcher.run(work('a')), dispatcher.run(work('b')), dispatcher.run(other)]);
    expect(results.flatMap(fateOf)).to.deep.equal(['a', 'b', 'x']);
    expect(boxes.started).to.equal(2);
    await dispatcher.close();
  });

  it('defines a function once for each box, and the same text is the same function', async () => {
    const boxes = new CardboardBoxes({ kills: (records, box) => records.includes('k') && box === 1 });
    const { dispatcher } = open(boxes);
    for (const record of ['a', 'b', 'k', 'c']) await dispatcher.run(work(record));
    expect(boxes.defined).to.deep.equal(['1:my-transform', '2:my-transform']);
    await dispatcher.close();
  });

  it('knows what a function reads once it has run', async () => {
    const { dispatcher } = open(new CardboardBoxes({ reads: 2 }));
    expect(dispatcher.reads(code('() => 1'), 7)).to.equal(4);
    await dispatcher.run(work('a'));
    expect([dispatcher.reads(code('() => 1'), 7), dispatcher.reads(code('() => 2'), 7)]).to.deep.equal([2, 4]);
    await dispatcher.close();
  });

  it('takes no answers for more or fewer messages than it asked about', async () => {
    const boxes = new CardboardBoxes({ omits: ([first]) => (first === 'a' ? 1 : 0) });
    const { dispatcher } = open(boxes);
    expect(fateOf(await dispatcher.run(work('a', 'b')))).to.deep.equal(['killed', 'b']);
    await dispatcher.close();
  });

  it('takes a box that says nonsense for one that died', async () => {
    for (const nonsense of ['c{\n', 'e[\n', '?\n']) {
      const boxes = new CardboardBoxes({ says: ([first]) => (first === 'a' ? nonsense : undefined) });
      const { dispatcher } = open(boxes);
      expect(fateOf(await dispatcher.run(work('a', 'b')))).to.deep.equal(['killed', 'b']);
      await dispatcher.close();
    }
  });

  it('runs the last suspect alone too, although there is other work', async () => {
    const more: Promise<Result>[] = [];
    const boxes = new CardboardBoxes({
      kills: (items) => items.length > 1,
      hangs: ([first]) => {
        if (first === 'b') more.push(dispatcher.run(other));
        return false;
      },
    });
    const { dispatcher } = open(boxes);
    expect(fateOf(await dispatcher.run(work('a', 'b')))).to.deep.equal(['a', 'b']);
    expect((await Promise.all(more)).flatMap(fateOf)).to.deep.equal(['x']);
    expect(boxes.inside).to.deep.equal([['a', 'b'], ['a'], ['b'], ['x']]);
    await dispatcher.close();
  });

  it('fails the jobs, not the messages, when no box can be started', async () => {
    const boxes = new CardboardBoxes({ starts: false });
    const { dispatcher, log } = open(boxes);
    const error = await dispatcher.run(work('a')).catch((caught: unknown) => caught);
    expect(error).to.have.property('code', 'internal');
    expect(boxes.started).to.equal(3);
    expect(log.notes.at(-1)).to.deep.include({ level: 'error', fields: { why: 'exit code 1' } });
    await dispatcher.close();
  });

  it('runs a function although five others are slow', async () => {
    const boxes = new CardboardBoxes({ hangs: ([record]) => record === 'slow' });
    const { dispatcher } = open(boxes, { silenceMs: 60_000 });
    const one = (n: number, item: string): Work => ({
      kind: 'run',
      fn: code(`() => ${n}`),
      sinkNo: 7,
      room: { left: 1e9 },
      items: [item],
    });
    const stuck = Array.from({ length: 50 }, (_, n) => dispatcher.run(one(10 + (n % 5), 'slow')).catch(() => 'closed'));
    expect(fateOf(await dispatcher.run(one(1, 'quick')))).to.deep.equal(['quick']);
    await dispatcher.close();
    expect(new Set(await Promise.all(stuck))).to.deep.equal(new Set(['closed']));
  });
});
