/** A log stays short while something is wrong for long, and says how often it was met. */
import { expect } from 'chai';
import { MillraceError } from '../../src/model/errors.ts';
import { createLog, type Log } from '../../src/runtime/log.ts';
import { OVER_MS, withoutRepeats } from '../../src/runtime/repeats.ts';

const refused = (): Error => Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
const postgres = (code: string, message: string): Error => Object.assign(new Error(message), { code });

describe('a log without repeats', () => {
  let lines: Record<string, unknown>[];
  let log: Log & { end(): void };
  let now: number;
  let work: (() => void) | undefined;
  beforeEach(() => {
    lines = [];
    now = 0;
    const write = (line: string): void => void lines.push(JSON.parse(line));
    const later = (then: () => void): (() => void) => {
      work = then;
      return () => {
        work = undefined;
      };
    };
    log = withoutRepeats(createLog({ level: 'info', write }), { now: () => now, later });
  });

  const messages = (): unknown[] => lines.map(({ msg }) => msg);
  /** Time passes without anything. */
  const passes = (ms: number): void => {
    now += ms;
    work?.();
  };

  it('writes what fails again and again once, and the count when it has stopped', () => {
    for (let n = 0; n < 5_000; n += 1) {
      log.warn(
        { request_id: `r${n}`, path: '/receive', err: n % 2 ? refused() : postgres('57P03', 'starting up') },
        'a request failed',
      );
      now += 10;
    }
    expect(messages()).to.deep.equal(['a request failed']);
    expect(lines[0]).to.have.property('err').that.deep.equals({ message: 'starting up', code: '57P03' });
    passes(OVER_MS - 20);
    expect(messages()).to.deep.equal(['a request failed']);
    passes(20);
    expect(lines[1]).to.include({ level: 'info', msg: 'no more: a request failed', times: 5_000, seconds: 50 });
    log.warn({ err: refused() }, 'a request failed');
    expect(messages().slice(2)).to.deep.equal(['a request failed']);
  });

  it('writes once of a destination that is asked every half minute, and takes a moment to fail', () => {
    for (let n = 0; n < 20; n += 1) {
      log.warn({ sink: 'products', reason: 'unreachable', wait_ms: 30_000 }, 'sink cannot be delivered to');
      for (let passed = 0; passed < 35_000; passed += 5_000) passes(5_000);
    }
    expect(messages()).to.deep.equal(['sink cannot be delivered to']);
    passes(OVER_MS);
    expect(lines[1]).to.include({ msg: 'no more: sink cannot be delivered to', sink: 'products', times: 20 });
  });

  it('says each thing, each sentence and each kind of trouble for itself', () => {
    const service = log.child({ service: 'jobs' });
    for (let n = 0; n < 3; n += 1) {
      service.error({ err: refused() }, 'service failed');
      log.error({ err: refused(), service: 'listener' }, 'service failed');
      log.warn({ err: refused(), service: 'listener' }, 'another sentence');
      log.warn({ err: postgres('53300', 'sorry, too many clients already') }, 'a request failed');
      log.warn({ err: new Error('MaxClientsInSessionMode: max clients reached') }, 'a request failed');
      log.warn({ err: postgres('28P01', 'password authentication failed') }, 'a request failed');
      log.warn({ err: new MillraceError('unavailable', 'did not answer') }, 'a request failed');
    }
    expect(messages()).to.have.lengthOf(6);
    log.end();
    expect(lines.slice(6).map(({ times }) => times)).to.deep.equal([3, 3, 3, 6, 3, 3]);
    expect(lines[6]).to.include({ service: 'jobs' });
    expect(lines[7]).to.include({ service: 'listener' });
  });

  it('leaves out no request’s own fault, and nothing that is another one', () => {
    for (let n = 0; n < 3; n += 1) {
      log.error({ request_id: `r${n}`, err: new TypeError('undefined is not a function') }, 'a request failed');
      log.error({ sink: 'a', err: new Error(`fault ${n}`) }, 'delivery failed');
      log.warn({ sink: 'a', err: new Error('the same') }, 'delivery failed');
      log.warn({ functions: ['f'] }, 'no error in it');
      log.warn('only a sentence');
      log.info({ err: refused() }, 'no warning');
    }
    expect(messages()).to.have.lengthOf(3 * 5 + 1);
    expect(lines.find(({ request_id }) => request_id === 'r2')?.err).to.have.property('stack');
  });

  it('writes no count of what came once', () => {
    log.warn({ err: refused() }, 'once');
    passes(OVER_MS);
    log.end();
    expect(messages()).to.deep.equal(['once']);
  });
});
