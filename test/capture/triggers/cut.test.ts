/** What is told of a slot's stream before a cut, and behind one. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import type { ReplicationStream } from '../../../src/capture/replication/connection.ts';
import { decode } from '../../../src/capture/replication/decode.ts';
import type { Hearer } from '../../../src/capture/replication/hearing.ts';
import type { StoredCut } from '../../../src/capture/switch/cut.ts';
import { isPassed, joinAt, renumberedOf } from '../../../src/capture/switch/join.ts';
import { Leaving } from '../../../src/capture/switch/leave.ts';
import { beginMessage, commitMessage, logicalMessage } from '../../../src/capture/triggers/wire.ts';

/** What it heard: of each transaction its LSN, its end's and what came in it. */
class Heard implements Hearer {
  relations: unknown[] = [];
  seen: bigint[] = [];
  told: string[] = [];
  renumbered: { from: bigint; to: bigint }[] = [];

  onMessage(bytes: Buffer): void {
    const message = decode(Buffer.from(bytes));
    if (message.tag === 'begin') this.told.push(`b${message.commitLsn}`);
    else if (message.tag === 'commit') this.told.push(`c${message.commitLsn}`);
    else if (message.tag === 'relation') this.told.push(message.name);
    else if (message.tag === 'message' && message.prefix === 'again')
      this.renumbered.push(renumberedOf(message.content.toString()));
    else if (message.tag === 'message') this.told.push(message.content.toString());
  }

  onKeepAlive(walEnd: bigint): void {
    this.seen.push(walEnd);
  }

  take(): string[] {
    return this.told.splice(0);
  }
}

const RELATION = Buffer.concat([
  Buffer.from('R'),
  Buffer.from([0, 0, 0, 7]),
  Buffer.from('public\0rows\0d'),
  Buffer.from([0, 0]),
]);

function transaction(hearer: Hearer, xid: bigint, lsn: bigint, also: Buffer[] = []): void {
  hearer.onMessage(beginMessage(lsn, 0, xid));
  for (const bytes of also) hearer.onMessage(bytes);
  hearer.onMessage(logicalMessage('change', `x${xid}`));
  hearer.onMessage(commitMessage(lsn, 0));
}

/** Sees everything before 10 but 5; and 12. */
const SNAPSHOT = '5:14:5,10,11,13';
const CUT: StoredCut = {
  ...{ way: 'replication', snapshot: SNAPSHOT, untilLsn: 100n, baseLsn: 90n, changesOid: null, renumbered: undefined },
};

describe('a stream behind a cut', () => {
  it('leaves out what the snapshot sees, tells the rest, and knows the tables of both', () => {
    const heard = new Heard();
    const join = joinAt(heard, { cut: CUT, commitLsn: 90n, prefix: 'again' });
    transaction(join, 9n, 91n, [RELATION]);
    transaction(join, 10n, 92n);
    transaction(join, 12n, 93n);
    transaction(join, 14n, 94n);
    expect(heard.told).to.deep.equal(['rows', 'b92', 'x10', 'c92', 'b94', 'x14', 'c94']);
    expect(heard.renumbered).to.deep.equal([]);
  });

  it('leaves out nothing behind the cut, where an id may be another transaction’s', () => {
    const heard = new Heard();
    const join = joinAt(heard, { cut: CUT, commitLsn: 90n, prefix: 'again' });
    transaction(join, 9n, 100n);
    expect(heard.told).to.deep.equal(['b100', 'x9', 'c100']);
  });

  it('goes round with ids of 32 bits', () => {
    const heard = new Heard();
    const far = 3n * 2n ** 32n;
    const cut = { ...CUT, snapshot: `${far - 3n}:${far + 2n}:${far - 3n},${far + 1n}` };
    const join = joinAt(heard, { cut, commitLsn: 90n, prefix: 'again' });
    for (const [i, xid] of [far - 4n, far - 3n, far - 2n, far, far + 1n, far + 2n].entries())
      transaction(join, xid, 91n + BigInt(i));
    expect(heard.told.filter((one) => one.startsWith('b'))).to.deep.equal(['b92', 'b95', 'b96']);
  });

  it('gives commits that lie before the last LSN the next ones', () => {
    const heard = new Heard();
    const join = joinAt(heard, { cut: CUT, commitLsn: 90n, prefix: 'again' });
    transaction(join, 10n, 40n);
    transaction(join, 11n, 90n);
    transaction(join, 13n, 91n);
    transaction(join, 15n, 95n);
    expect(heard.told.filter((one) => !one.startsWith('x'))).to.deep.equal([
      'b91',
      'c91',
      'b92',
      'c92',
      'b93',
      'c93',
      'b95',
      'c95',
    ]);
    expect(heard.renumbered).to.deep.equal([
      { from: 40n, to: 91n },
      { from: 90n, to: 92n },
      { from: 91n, to: 93n },
    ]);
  });

  it('gives them the same ones after a crash, wherever it was', () => {
    const commits: [bigint, bigint][] = [
      [10n, 40n],
      [11n, 90n],
      [13n, 91n],
      [15n, 95n],
      [16n, 99n],
    ];
    const given = [91n, 92n, 93n, 95n, 99n];
    // Persisted: all before `place`; of that one nothing, or what renumbers it, or some of its changes too.
    for (const [place] of commits.entries()) {
      for (const persisted of ['nothing', 'its number', 'its number and changes']) {
        const before = given[place - 1] ?? 90n;
        const isOwn = given[place] === commits[place]![1];
        const last = persisted === 'nothing' || isOwn ? place - 1 : place;
        const numbered = [0, 1, 2].filter((no) => no <= last).at(-1);
        const renumbered = numbered === undefined ? undefined : { from: commits[numbered]![1], to: given[numbered]! };
        const commitLsn = persisted === 'its number and changes' ? given[place]! : before;
        const heard = new Heard();
        const join = joinAt(heard, { cut: { ...CUT, ...(renumbered && { renumbered }) }, commitLsn, prefix: 'again' });
        for (const [xid, lsn] of commits) transaction(join, xid, lsn);
        const begun = heard.told.filter((one) => one.startsWith('b')).map((one) => BigInt(one.slice(1)));
        const what = `${persisted} of transaction ${place}`;
        expect(begun.slice(place), what).to.deep.equal(given.slice(place));
        // What was persisted whole is known by a place that is not behind the position.
        for (const lsn of begun.slice(0, place)) expect(lsn <= before, what).to.equal(true);
      }
    }
  });

  it('is passed when everything that comes lies behind it', () => {
    expect(isPassed(CUT, 100n)).to.equal(false);
    expect(isPassed(CUT, 101n)).to.equal(true);
    expect(isPassed({ ...CUT, renumbered: { from: 99n, to: 105n } }, 105n)).to.equal(false);
  });
});

/** A stream whose confirmations are remembered. */
function scripted() {
  const ended = Promise.withResolvers<void>();
  const state = { isPaused: false, confirmed: 0n };
  const stream: ReplicationStream = {
    started: Promise.resolve(),
    ended: ended.promise,
    confirm: (lsn) => {
      state.confirmed = lsn;
    },
    pause: () => {
      state.isPaused = true;
    },
    resume: () => {
      state.isPaused = false;
    },
    close: async () => ended.resolve(),
  };
  return { stream, state };
}

describe('a stream up to a cut', () => {
  const cut = { snapshot: SNAPSHOT, untilLsn: 100n };

  it('tells what the snapshot sees, and is over when that is persisted', async () => {
    const heard = new Heard();
    const { stream } = scripted();
    const leaving = new Leaving();
    const attached = leaving.attach(stream);
    const hears = leaving.hearing(heard);
    transaction(hears, 9n, 90n);
    leaving.cutAt(cut);
    transaction(hears, 10n, 91n, [RELATION]);
    transaction(hears, 12n, 92n);
    hears.onKeepAlive(99n, false);
    expect(leaving.isDone).to.equal(false);
    transaction(hears, 16n, 100n);
    transaction(hears, 4n, 104n);
    expect(heard.told).to.deep.equal(['b90', 'x9', 'c90', 'rows', 'b92', 'x12', 'c92']);
    attached.confirm(99n);
    await turn();
    expect(leaving.isDone).to.equal(false);
    attached.confirm(100n);
    await attached.ended;
    expect(leaving.isDone).to.equal(true);
    // Nothing behind the cut is ever said to be persisted.
    expect(heard.seen.every((lsn) => lsn <= 100n)).to.equal(true);
  });

  it('is over on a quiet source too', async () => {
    const heard = new Heard();
    const leaving = new Leaving();
    const attached = leaving.attach(scripted().stream);
    const hears = leaving.hearing(heard);
    leaving.cutAt(cut);
    hears.onKeepAlive(500n, false);
    expect(heard.seen).to.deep.equal([100n, 100n]);
    attached.confirm(100n);
    await attached.ended;
  });

  it('is over at once where all was persisted before', async () => {
    const leaving = new Leaving();
    const attached = leaving.attach(scripted().stream);
    leaving.beginAt(100n);
    leaving.cutAt(cut);
    leaving.hearing(new Heard()).onKeepAlive(100n, false);
    await attached.ended;
  });

  it('knows which of what was told a snapshot does not see', () => {
    const leaving = new Leaving();
    leaving.attach(scripted().stream);
    const hears = leaving.hearing(new Heard());
    transaction(hears, 10n, 80n);
    leaving.watch();
    transaction(hears, 11n, 90n);
    transaction(hears, 12n, 91n);
    expect(leaving.isSeenBy(SNAPSHOT), 'not 11').to.equal(false);
    expect(leaving.isSeenBy('12:14:12')).to.equal(true);
    expect(leaving.isSeenBy('5:14:5,12'), '12 was seen before').to.equal(true);
  });

  it('is held, whoever resumes it meanwhile', async () => {
    const { stream, state } = scripted();
    const leaving = new Leaving();
    const attached = leaving.attach(stream);
    await leaving.held(async () => {
      attached.pause();
      attached.resume();
      expect(state.isPaused).to.equal(true);
    });
    expect(state.isPaused).to.equal(false);
    attached.pause();
    await leaving.held(async () => undefined);
    expect(state.isPaused, 'its session has paused it').to.equal(true);
  });

  it('stays held, and fails, where nobody knows whether a cut is stored', async () => {
    const { stream, state } = scripted();
    const leaving = new Leaving();
    const attached = leaving.attach(stream);
    await leaving.held(async () => leaving.fail(new Error('no answer')));
    expect(state.isPaused).to.equal(true);
    attached.resume();
    expect(state.isPaused).to.equal(true);
    expect(await attached.ended.catch((error: Error) => error.message)).to.equal('no answer');
  });
});
