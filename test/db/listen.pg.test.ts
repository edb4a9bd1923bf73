/** Notifications arrive, also after the connection was lost; what may have been missed is said. */
import { expect } from 'chai';
import { type Listener, openListener } from '../../src/db/listen.ts';
import { type MessageDatabase, messageDatabase } from '../support/postgres/message-database.ts';
import { until } from '../support/until.ts';

describe('db: listener', () => {
  let m: MessageDatabase;
  let listener: Listener;
  let stop: AbortController;
  let running: Promise<void>;
  let warned: number;
  before(async () => {
    m = await messageDatabase();
  });
  after(async () => await m.drop());
  beforeEach(() => {
    warned = 0;
    stop = new AbortController();
    listener = openListener(
      { address: m.url, max: 1, applicationName: 'millrace listener', probeEveryMs: 50 },
      {
        log: { warn: () => (warned += 1), error: () => (warned += 1) },
        random: () => 0,
      },
    );
  });
  afterEach(async () => {
    stop.abort();
    await running;
    await listener.close();
    await listener.close();
  });

  const heard = (channel: string): string[] => {
    const payloads: string[] = [];
    listener.on(channel, (payload) => payloads.push(payload));
    return payloads;
  };
  const notify = async (channel: string, payload: string): Promise<void> => {
    await m.db.query('select pg_notify($1, $2)', [channel, payload]);
  };
  const run = (): void => {
    running = listener.run(stop.signal);
  };

  it('calls the handlers of a channel, once with nothing when it is connected', async () => {
    const one = heard('millrace_messages');
    const two = heard('Another "channel"');
    run();
    await until('connected', () => one.length === 1 && two.length === 1);
    await notify('millrace_messages', '1,2');
    await notify('Another "channel"', 'x');
    await until('notified', () => one.length === 2 && two.length === 2);
    expect([one, two]).to.deep.equal([
      ['', '1,2'],
      ['', 'x'],
    ]);
  });

  it('takes handlers later, and lets them go', async () => {
    const one = heard('one');
    run();
    await until('connected', () => one.length === 1);
    const two: string[] = [];
    const off = listener.on('two', (payload) => two.push(payload));
    await until('listening', () => two.length === 1);
    await notify('two', 'a');
    await until('notified', () => two.length === 2);
    off();
    await notify('two', 'b');
    await notify('one', 'c');
    await until('notified', () => one.length === 2);
    expect(two).to.deep.equal(['', 'a']);
  });

  it('connects again when the connection is cut, and says that something may have been missed', async () => {
    const one = heard('one');
    run();
    await until('connected', () => one.length === 1);
    await m.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'millrace listener' and datname = current_database()`,
    );
    await until('connected again', () => one.length === 2);
    await notify('one', 'a');
    await until('notified', () => one.length === 3);
    expect(one).to.deep.equal(['', '', 'a']);
    expect(warned).to.be.at.least(1);
  });

  it('lives on when a handler throws', async () => {
    listener.on('one', () => {
      throw new Error('no');
    });
    const one = heard('one');
    run();
    await until('connected', () => one.length === 1);
    await notify('one', 'a');
    await until('notified', () => one.length === 2);
    expect(warned).to.equal(2);
  });
});
