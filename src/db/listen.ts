/**
 * One connection that listens, for all who wait for news of Postgres. A notification may be lost while it reconnects, so
 * every handler is called once with an empty payload after each (re)connect: something may have been missed. Whoever
 * listens must still look for himself now and then; a notification only makes it sooner.
 */
import { setTimeout as sleepFor } from 'node:timers/promises';
import pg from 'pg';
import { MillraceError } from '../model/errors.ts';
import { backoffMs, RECONNECT } from '../runtime/backoff.ts';
import { Client } from './client.ts';
import { clientConfig, type PoolOptions, type Queryable, run } from './pool.ts';
import { applySettings } from './session-settings.ts';

/** An empty payload: after a (re)connect, anything may have happened. */
export type NotificationHandler = (payload: string) => void;

/**
 * A statement on it waits for nobody but its like, and throws MillraceError unavailable while there is no connection. Keep
 * those short: notifications wait for them.
 */
export interface Listener extends Queryable {
  readonly name: string;
  /** Calls `handler` for each notification of the channel, until the function that it returns is called. */
  on(channel: string, handler: NotificationHandler): () => void;
  /** Listens until the signal, through every loss of the connection. */
  run(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface ListenDependencies {
  log: { warn(details: object, message: string): void; error(details: object, message: string): void };
  /** Hears of each session that listens, before anybody else can use it, and when it is over. */
  session?: { begun(session: Queryable): Promise<void>; over(): void };
  random?: () => number;
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface ListenOptions extends PoolOptions {
  /** Milliseconds between questions whether the connection is still alive (half-open TCP says nothing); 30,000. */
  probeEveryMs?: number;
}

/** Connects when `run` is called. `max` of the options does not count: it is always one connection. */
export function openListener(options: ListenOptions, deps: ListenDependencies): Listener {
  const handlers = new Map<string, Set<NotificationHandler>>();
  const random = deps.random ?? Math.random;
  const sleep = deps.sleep ?? (async (ms, signal) => await sleepFor(ms, undefined, { signal }));
  let connected: pg.Client | undefined;
  let last: Promise<unknown> = Promise.resolve();

  /** One statement after the other. */
  const ask: Ask = async (client, statement, values) => {
    const asked = last.then(
      () => run(client, statement, values),
      () => run(client, statement, values),
    );
    last = asked;
    return await (asked as Promise<never>);
  };
  const call = (channel: string, payload: string): void => {
    for (const handler of [...(handlers.get(channel) ?? [])]) {
      try {
        handler(payload);
      } catch (error) {
        deps.log.error({ channel, err: error }, 'a handler of notifications failed');
      }
    }
  };

  const listen = async (client: pg.Client, channel: string): Promise<void> => {
    await ask(client, `listen ${pg.escapeIdentifier(channel)}`);
    call(channel, '');
  };

  const onConnect = async (client: pg.Client): Promise<void> => {
    connected = client;
    last = Promise.resolve();
    await deps.session?.begun({ query: (statement, values) => ask(client, statement, values) });
    for (const channel of handlers.keys()) await listen(client, channel);
    failures = 0;
  };
  let failures = 0;

  return {
    name: 'listener',
    on(channel, handler) {
      const known = handlers.get(channel);
      const set = known ?? new Set();
      handlers.set(channel, set.add(handler));
      if (known === undefined && connected !== undefined) listen(connected, channel).catch(() => undefined);
      return () => set.delete(handler);
    },
    async query(statement, values) {
      if (connected === undefined) throw new MillraceError('unavailable', 'The message database cannot be reached');
      return await ask(connected, statement, values);
    },
    async run(signal) {
      while (!signal.aborted) {
        try {
          await listenOnce(options, { call, onConnect, ask }, signal).finally(() => {
            connected = undefined;
            deps.session?.over();
          });
        } catch (error) {
          if (signal.aborted) return;
          failures += 1;
          const waitMs = backoffMs(failures, RECONNECT, random());
          deps.log.warn({ err: error, wait_ms: waitMs }, 'the listening connection was lost; it will be opened again');
          await sleep(waitMs, signal).catch(() => undefined);
        }
      }
    },
    async close() {
      handlers.clear();
      await connected?.end().catch(() => undefined);
    },
  };
}

type Ask = <Row>(
  client: pg.Client,
  ...asked: Parameters<Queryable['query']>
) => Promise<{ rows: Row[]; rowCount: number }>;

interface Ear {
  ask: Ask;
  call(channel: string, payload: string): void;
  onConnect(client: pg.Client): Promise<void>;
}

/** One connection, from its start to its end. Always throws: what ended it, or the signal's reason. */
async function listenOnce(options: ListenOptions, ear: Ear, signal: AbortSignal): Promise<never> {
  const probeEveryMs = options.probeEveryMs ?? 30_000;
  const client = new Client(clientConfig(options));
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => undefined);
  client.on('error', ended.reject);
  client.on('end', () => ended.reject(new Error('the connection was closed')));
  client.on('notification', ({ channel, payload }) => ear.call(channel, payload ?? ''));
  const stop = (): void => ended.reject(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    await Promise.race([client.connect(), ended.promise]);
    await Promise.race([applySettings(client, options), ended.promise]);
    await Promise.race([ear.onConnect(client), ended.promise]);
    for (;;) {
      await Promise.race([sleepFor(probeEveryMs, undefined, { signal, ref: false }), ended.promise]);
      await Promise.race([ear.ask(client, 'select 1'), lateAfter(probeEveryMs, signal), ended.promise]);
    }
  } finally {
    signal.removeEventListener('abort', stop);
    // Not waited for: an end that hangs must not keep us from connecting anew.
    void client.end().catch(() => undefined);
  }
}

async function lateAfter(ms: number, signal: AbortSignal): Promise<never> {
  await sleepFor(ms, undefined, { signal, ref: false });
  throw new Error(`no answer for ${ms} ms`);
}
