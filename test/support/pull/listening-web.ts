/** A web role whose clients wait for a long time, and which hears of what changes as in service. */
import { openTokens } from '../../../src/catalog/tokens.ts';
import { openListener } from '../../../src/db/listen.ts';
import { createMetrics } from '../../../src/runtime/metrics.ts';
import type { MessageDatabase } from '../postgres/message-database.ts';
import { type TestWeb, testWeb } from '../processes/web.ts';
import { until } from '../until.ts';

export interface ListeningWeb {
  web: TestWeb;
  /** Until so many receives wait. `token`: may read metrics. */
  waiting(count: number, token?: string): Promise<void>;
  /** The database too is gone then. */
  end(): Promise<void>;
}

/** `told`: Postgres tells it that tokens have changed. */
export async function listeningWeb(m: MessageDatabase, { told = true } = {}): Promise<ListeningWeb> {
  const { db } = m;
  const listener = openListener(
    { address: m.url, max: 1, applicationName: 'millrace test' },
    { log: { warn: () => undefined, error: () => undefined } },
  );
  const stop = new AbortController();
  const running = listener.run(stop.signal);
  const findToken = openTokens(told ? { db, listener } : { db }).find;
  const web = await testWeb(
    { db, listener, findToken, metrics: createMetrics({ process: false }) },
    { pull: { longWaitMs: 30_000, blankEveryMs: 10 } },
  );
  return {
    web,
    async waiting(count, token) {
      const line = `millrace_waiting_receives ${count}\n`;
      const metrics = async () => await web.call('GET', '/metrics', token === undefined ? {} : { token });
      await until(`${count} wait`, async () => (await metrics()).text.includes(line));
    },
    async end() {
      await web.close();
      stop.abort();
      await running;
      await m.drop();
    },
  };
}
