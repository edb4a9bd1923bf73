/** The dispatcher with scripted processes: who is blamed when it dies, and what is run again. */
import { expect } from 'chai';
import { Dispatcher } from '../../src/transform/dispatch.ts';
import type { Result, Work } from '../../src/transform/job.ts';
import { cut } from '../../src/transform/protocol/item.ts';
import { LIMITS } from '../../src/transform/protocol/limits.ts';
import type { ToProcess } from '../../src/transform/protocol/messages.ts';
import type { ProcessEvents } from '../../src/transform/start-process.ts';
import { code, recordingLog } from '../support/fixtures/sandbox.ts';

type Run = Extract<ToProcess, { kind: 'run' }>;

interface Rules {
  kills?: (items: string[], pid: number) => boolean;
  hangs?: (items: string[]) => boolean;
  retires?: (items: string[], pid: number) => boolean;
  /** Answers so many messages too few. */
  omits?: (items: string[]) => number;
  /** Lines in place of the answers. */
  says?: (items: string[]) => string | undefined;
  /** These messages leave no room for an answer. */
  fills?: (items: string[]) => boolean;
  starts?: boolean;
  reads?: number;
}

/** Processes that answer with the items, unless one of them is in `kills`. Those that ended still say something: it was under way. */
class ScriptedProcesses {
  started = 0;
  /** Items of each request, in order. */
  readonly seen: string[][] = [];
  readonly defined: string[] = [];
  /** What a process holds, whenever it is given something. */
  readonly held: string[][] = [];
  readonly rules: Rules;
  readonly #ended: ProcessEvents[] = [];

  constructor(rules: Rules) {
    this.rules = rules;
  }

  start = (events: ProcessEvents) => {
    this.started += 1;
    const pid = this.started;
    let dead = false;
    const die = (why: string) => {
      if (dead) return;
      dead = true;
      queueMicrotask(() => {
        this.#ended.push(events);
        events.exited(why);
      });
    };
    queueMicrotask(() => {
      if (this.rules.starts === false) die('exit code 1');
      else events.message({ kind: 'ready', sameAccount: true }, '');
    });
    const itemsOf = ({ lengths }: Run, text: string) =>
      lengths.map((_length, at) => cut({ text, lengths }, at, at + 1).text.slice(1, -1));
    const held = new Map<number, string[]>();
    const answer = ({ id }: Run, items: string[]) => {
      if (dead) return;
      this.seen.push(items);
      if (this.rules.hangs?.(items)) return;
      if (this.rules.kills?.(items, pid)) return die('SIGSEGV');
      const answered = items.slice(this.rules.omits?.(items) ?? 0);
      const retire = this.rules.retires?.(items, pid) ?? false;
      const lines = this.rules.says?.(items) ?? answered.map((item) => `v${item}\n`).join('');
      held.delete(id);
      const full = this.rules.fills?.(items) ?? false;
      events.message({ kind: 'answers', id, full, reads: this.rules.reads ?? 4, retire }, full ? '' : lines);
    };
    return {
      pid,
      wrap: [],
      send: (request: ToProcess, pieces: readonly string[] = []) => {
        if (request.kind === 'define') this.defined.push(`${pid}:${request.fn.name}`);
        if (request.kind !== 'run') return;
        const items = itemsOf(request, pieces.join(''));
        held.set(request.id, items);
        this.held.push([...held.values()].flat());
        for (const ended of this.#ended) ended.message({ kind: 'part', id: request.id }, 'vlate\n');
        setImmediate(answer, request, items);
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
  items: items.map((item) => [item]),
});
const other: Work = { kind: 'run', fn: code('() => 2'), sinkNo: 7, room: { left: 1e9 }, items: [['x']] };
const resultOf = ({ answers }: Result) =>
  answers.map((answer) => ('complaint' in answer ? answer.complaint.kind : 'text' in answer ? answer.text : undefined));
const open = (processes: ScriptedProcesses, limits = {}) => {
  const log = recordingLog();
  return { log, dispatcher: new Dispatcher({ log, start: processes.start }, { ...LIMITS, ...limits }) };
};

describe('the dispatcher', () => {
  it('runs a killed chunk again message by message, and gives up the one that kills twice', async () => {
    const processes = new ScriptedProcesses({ kills: (records) => records.includes('b') });
    const { dispatcher, log } = open(processes);
    expect(resultOf(await dispatcher.run(work('a', 'b', 'c')))).to.deep.equal(['a', 'killed', 'c']);
    expect(processes.seen).to.deep.equal([['a', 'b', 'c'], ['a'], ['b'], ['c']]);
    expect(processes.started).to.equal(3);
    expect(log.notes.filter((note) => note.level === 'warn')).to.have.length(2);
    await dispatcher.close();
  });

  it('gives a message that was alone one more try', async () => {
    const processes = new ScriptedProcesses({ kills: (_records, pid) => pid === 1 });
    const { dispatcher } = open(processes);
    expect(resultOf(await dispatcher.run(work('a')))).to.deep.equal(['a']);
    const always = new ScriptedProcesses({ kills: () => true });
    const second = open(always);
    expect(resultOf(await second.dispatcher.run(work('a')))).to.deep.equal(['killed']);
    expect(always.seen).to.deep.equal([['a'], ['a']]);
    await dispatcher.close();
    await second.dispatcher.close();
  });

  it('blames nobody who was only near, and runs suspects alone', async () => {
    const processes = new ScriptedProcesses({ kills: (records) => records.includes('b') });
    const { dispatcher } = open(processes);
    const results = await Promise.all([dispatcher.run(work('b')), dispatcher.run(other), dispatcher.run(work('c'))]);
    expect(results.flatMap(resultOf)).to.deep.equal(['killed', 'x', 'c']);
    await dispatcher.close();
  });

  it('ends the answers of a killed chunk at the first message that finds no room', async () => {
    const processes = new ScriptedProcesses({
      kills: (records) => records.includes('b'),
      fills: (records) => records.includes('d'),
    });
    const { dispatcher } = open(processes);
    const result = await dispatcher.run(work('a', 'b', 'c', 'd', 'e'));
    expect(resultOf(result)).to.deep.equal(['a', 'killed', 'c']);
    await dispatcher.close();
  });

  it('kills a process that is silent', async () => {
    const processes = new ScriptedProcesses({ hangs: (records) => records.includes('b') });
    const { dispatcher, log } = open(processes, { silenceMs: 20 });
    expect(resultOf(await dispatcher.run(work('a', 'b')))).to.deep.equal(['a', 'killed']);
    expect(log.notes.some((note) => note.text.includes('does not answer'))).to.equal(true);
    await dispatcher.close();
  });

  it('replaces a process that asks for it without blame', async () => {
    const processes = new ScriptedProcesses({ retires: (records, pid) => records.includes('a') && pid === 1 });
    const { dispatcher } = open(processes);
    const results = await Promise.all([dispatcher.run(work('a')), dispatcher.run(work('b')), dispatcher.run(other)]);
    expect(results.flatMap(resultOf)).to.deep.equal(['a', 'b', 'x']);
    expect(processes.started).to.equal(2);
    await dispatcher.close();
  });

  it('defines a function once for each process, and the same text is the same function', async () => {
    const processes = new ScriptedProcesses({ kills: (records, pid) => records.includes('k') && pid === 1 });
    const { dispatcher } = open(processes);
    for (const record of ['a', 'b', 'k', 'c']) await dispatcher.run(work(record));
    expect(processes.defined).to.deep.equal(['1:my-transform', '2:my-transform']);
    await dispatcher.close();
  });

  it('knows what a function reads once it has run', async () => {
    const { dispatcher } = open(new ScriptedProcesses({ reads: 2 }));
    expect(dispatcher.reads(code('() => 1'), 7)).to.equal(4);
    await dispatcher.run(work('a'));
    expect([dispatcher.reads(code('() => 1'), 7), dispatcher.reads(code('() => 2'), 7)]).to.deep.equal([2, 4]);
    await dispatcher.close();
  });

  it('takes no answers for more or fewer messages than it asked about', async () => {
    const processes = new ScriptedProcesses({ omits: ([first]) => (first === 'a' ? 1 : 0) });
    const { dispatcher } = open(processes);
    expect(resultOf(await dispatcher.run(work('a', 'b')))).to.deep.equal(['killed', 'b']);
    await dispatcher.close();
  });

  it('takes a process that says nonsense for one that died', async () => {
    for (const nonsense of ['c{\n', 'e[\n', '?\n']) {
      const processes = new ScriptedProcesses({ says: ([first]) => (first === 'a' ? nonsense : undefined) });
      const { dispatcher } = open(processes);
      expect(resultOf(await dispatcher.run(work('a', 'b')))).to.deep.equal(['killed', 'b']);
      await dispatcher.close();
    }
  });

  it('runs the last suspect alone too, although there is other work', async () => {
    const more: Promise<Result>[] = [];
    const processes = new ScriptedProcesses({
      kills: (items) => items.length > 1,
      hangs: ([first]) => {
        if (first === 'b') more.push(dispatcher.run(other));
        return false;
      },
    });
    const { dispatcher } = open(processes);
    expect(resultOf(await dispatcher.run(work('a', 'b')))).to.deep.equal(['a', 'b']);
    expect((await Promise.all(more)).flatMap(resultOf)).to.deep.equal(['x']);
    expect(processes.held).to.deep.equal([['a', 'b'], ['a'], ['b'], ['x']]);
    await dispatcher.close();
  });

  it('fails the jobs, not the messages, when no process can be started', async () => {
    const processes = new ScriptedProcesses({ starts: false });
    const { dispatcher, log } = open(processes);
    const error = await dispatcher.run(work('a')).catch((caught: unknown) => caught);
    expect(error).to.have.property('code', 'internal');
    expect(processes.started).to.equal(3);
    expect(log.notes.at(-1)).to.deep.include({ level: 'error', fields: { why: 'exit code 1' } });
    await dispatcher.close();
  });

  it('runs a function although five others are slow', async () => {
    const processes = new ScriptedProcesses({ hangs: ([record]) => record === 'slow' });
    const { dispatcher } = open(processes, { silenceMs: 60_000 });
    const one = (n: number, item: string): Work => ({
      kind: 'run',
      fn: code(`() => ${n}`),
      sinkNo: 7,
      room: { left: 1e9 },
      items: [[item]],
    });
    const stuck = Array.from({ length: 50 }, (_, n) => dispatcher.run(one(10 + (n % 5), 'slow')).catch(() => 'closed'));
    expect(resultOf(await dispatcher.run(one(1, 'quick')))).to.deep.equal(['quick']);
    await dispatcher.close();
    expect(new Set(await Promise.all(stuck))).to.deep.equal(new Set(['closed']));
  });
});
