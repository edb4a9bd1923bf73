/** The dispatcher with a box made of cardboard: who is blamed when it dies, and what is run again. */
import { expect } from 'chai';
import type { BoxEvents } from '../../src/transform/box-process.ts';
import { Dispatcher } from '../../src/transform/dispatch.ts';
import type { Work } from '../../src/transform/job.ts';
import type { ToBox } from '../../src/transform/protocol.ts';
import { LIMITS } from '../../src/transform/shaped.ts';
import { code, message, recordingLog } from '../support/sandbox.ts';

type Shape = Extract<ToBox, { kind: 'shape' }>;

interface Rules {
  kills?: (records: string[], box: number) => boolean;
  hangs?: (records: string[]) => boolean;
  retires?: (records: string[], box: number) => boolean;
  starts?: boolean;
  reads?: number;
}

/** A box that answers with the records, unless one of them is in `kills`. */
class CardboardBoxes {
  started = 0;
  /** Records of each request, in order. */
  readonly seen: string[][] = [];
  readonly defined: string[] = [];
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
      else events.message({ kind: 'ready' });
    });
    const answer = (request: Shape) => {
      const records = request.inputs.map((input) => input.record);
      if (dead) return;
      this.seen.push(records);
      if (this.rules.hangs?.(records)) return;
      if (this.rules.kills?.(records, box)) return die('SIGSEGV');
      const shaped = request.inputs.map((input) => ({ kept: true, body: JSON.stringify(input) }));
      const retire = this.rules.retires?.(records, box) ?? false;
      events.message({ kind: 'shaped', id: request.id, shaped, reads: this.rules.reads ?? 4, retire });
    };
    return {
      pid: box,
      send: (request: ToBox) => {
        if (request.kind === 'define') this.defined.push(`${box}:${request.fn.name}`);
        if (request.kind === 'shape') setImmediate(answer, request);
      },
      kill: () => die('SIGKILL'),
    };
  };
}

const work = (...records: string[]): Work => ({
  kind: 'shape',
  set: { transform: code('() => 1') },
  inputs: records.map((record) => message(record)),
  searchSink: false,
});
const other: Work = { ...(work('x') as Extract<Work, { kind: 'shape' }>), set: { transform: code('() => 2') } };
const open = (boxes: CardboardBoxes, limits = {}) => {
  const log = recordingLog();
  return { log, dispatcher: new Dispatcher({ log, start: boxes.start }, { ...LIMITS, ...limits }) };
};

describe('the dispatcher', () => {
  it('runs a killed chunk again message by message, and gives up the one that kills twice', async () => {
    const boxes = new CardboardBoxes({ kills: (records) => records.includes('b') });
    const { dispatcher, log } = open(boxes);
    const { shaped } = await dispatcher.run(work('a', 'b', 'c'));
    expect(shaped.map((one) => one.error?.kind)).to.deep.equal([undefined, 'killed', undefined]);
    expect(shaped[1]!.error?.function).to.equal('my-transform');
    expect(boxes.seen).to.deep.equal([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
    expect(boxes.started).to.equal(3);
    expect(log.notes.filter((note) => note.level === 'warn')).to.have.length(2);
    await dispatcher.close();
  });

  it('gives a message that was alone one more try', async () => {
    const boxes = new CardboardBoxes({ kills: (_records, box) => box === 1 });
    const { dispatcher } = open(boxes);
    expect((await dispatcher.run(work('a'))).shaped[0]!.error).to.equal(undefined);
    const always = new CardboardBoxes({ kills: () => true });
    const second = open(always);
    expect((await second.dispatcher.run(work('a'))).shaped[0]!.error?.kind).to.equal('killed');
    expect(always.seen).to.deep.equal([['a'], ['a']]);
    await dispatcher.close();
    await second.dispatcher.close();
  });

  it('blames nobody who was only near, and runs suspects alone', async () => {
    const boxes = new CardboardBoxes({ kills: (records) => records.includes('b') });
    const { dispatcher } = open(boxes);
    const results = await Promise.all([dispatcher.run(work('b')), dispatcher.run(other), dispatcher.run(work('c'))]);
    expect(results.map(({ shaped }) => shaped[0]!.error?.kind)).to.deep.equal(['killed', undefined, undefined]);
    await dispatcher.close();
  });

  it('kills a box that is silent', async () => {
    const boxes = new CardboardBoxes({ hangs: (records) => records.includes('b') });
    const { dispatcher, log } = open(boxes, { silenceMs: 20 });
    const { shaped } = await dispatcher.run(work('a', 'b'));
    expect(shaped.map((one) => one.error?.kind)).to.deep.equal([undefined, 'killed']);
    expect(log.notes.some((note) => note.text.includes('does not answer'))).to.equal(true);
    await dispatcher.close();
  });

  it('replaces a box that asks for it without blame', async () => {
    const boxes = new CardboardBoxes({ retires: (records, box) => records.includes('a') && box === 1 });
    const { dispatcher } = open(boxes);
    const results = await Promise.all([dispatcher.run(work('a')), dispatcher.run(work('b')), dispatcher.run(other)]);
    expect(results.map(({ shaped }) => shaped[0]!.error)).to.deep.equal([undefined, undefined, undefined]);
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

  it('stops bringing what a set does not read', async () => {
    const boxes = new CardboardBoxes({ reads: 2 });
    const { dispatcher } = open(boxes);
    const first = await dispatcher.run(work('a'));
    const second = await dispatcher.run(work('a'));
    expect(JSON.parse(first.shaped[0]!.body!)).to.deep.equal(message('a'));
    expect(JSON.parse(second.shaped[0]!.body!)).to.deep.equal({ ...message('a'), metadata: 'null' });
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

  it('runs the functions of one set although those of five others are slow', async () => {
    const boxes = new CardboardBoxes({ hangs: ([record]) => record === 'slow' });
    const { dispatcher } = open(boxes, { silenceMs: 60_000 });
    const setOf = (n: number, record: string): Work => ({
      ...(work(record) as Extract<Work, { kind: 'shape' }>),
      set: { transform: code(`() => ${n}`) },
    });
    const stuck = Array.from({ length: 50 }, (_, n) =>
      dispatcher.run(setOf(10 + (n % 5), 'slow')).catch(() => 'closed'),
    );
    const { shaped } = await dispatcher.run(setOf(1, 'quick'));
    expect(shaped).to.have.length(1);
    await dispatcher.close();
    expect(new Set(await Promise.all(stuck))).to.deep.equal(new Set(['closed']));
  });
});
