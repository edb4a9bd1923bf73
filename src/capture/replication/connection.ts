/**
 * pg-logical-replication's door: its connection and protocol, nothing of its decoding or acknowledging. Raw pgoutput
 * messages come out one by one and in order; every acknowledgement is ours, sent exactly as given.
 *
 * The library is told not to acknowledge by itself (its timer confirms what was only received) and not to control the
 * flow (it would go on after a failed handler): `pause` and `resume` work on the socket. A handler that throws ends the
 * stream. The bytes given to `onMessage` are only valid until it returns.
 */
import { EventEmitter } from 'node:events';
import { LogicalReplicationService } from 'pg-logical-replication';
import { clientConfig, type PoolOptions } from '../../db/pool.ts';
import { applyStreamSettings } from '../../db/session-settings.ts';
import { formatLsn, parseLsn } from '../../model/lsn.ts';
import { isWithoutPublication } from '../../model/sqlstate.ts';
import { withoutReplication } from '../../source/identify.ts';
import { LargeMessages } from './large-messages.ts';

export interface StreamHandlers {
  onMessage(bytes: Buffer): void;
  /** The server has sent everything up to `walEnd`; with `replyRequested` it wants a status now. */
  onKeepAlive(walEnd: bigint, replyRequested: boolean): void;
  /** Bytes came, perhaps of a message that is not whole yet. */
  onBytes?(): void;
  /** The server leaves out a change, because there was no publication when it was made; before 18 that ends the stream. */
  onWithoutPublication?(): void;
}

export interface StreamOptions {
  source: PoolOptions;
  slot: string;
  publication: string;
  /** Take bytes as they are: from a SQL_ASCII database Postgres would end the stream at the first that is no UTF-8. */
  raw: boolean;
}

export interface ReplicationStream {
  /** Resolves when the server streams; rejects when it refuses (55006: somebody else has the slot). */
  readonly started: Promise<void>;
  /** Settles when the stream is over: rejects with the reason, resolves after `close`. */
  readonly ended: Promise<void>;
  /** Tells the server that everything before `lsn` is durable here; with `ping` it answers at once with a keep-alive. */
  confirm(lsn: bigint, ping?: boolean): void;
  pause(): void;
  resume(): void;
  close(): Promise<void>;
}

interface ReplicationClient {
  connection: { stream: EventEmitter };
  query(question: string | { text: string; query_timeout: number }): Promise<unknown>;
}

/** The library's plug-in contract: it starts the stream, and hands every message on as it came. */
function rawPgoutput({ onBytes = () => undefined }: StreamHandlers, { publication, raw }: StreamOptions) {
  const names = `"${publication.replaceAll('"', '""')}"`.replaceAll("'", "''");
  return {
    name: 'pgoutput',
    options: {},
    start: async (client: ReplicationClient, slot: string, lsn: string): Promise<unknown> => {
      await applyStreamSettings(client);
      if (raw) await client.query("set client_encoding = 'SQL_ASCII'");
      client.connection.stream.on('data', onBytes);
      emptyLargeMessages(client.connection.stream);
      return await client.query(
        `START_REPLICATION SLOT "${slot.replaceAll('"', '""')}" LOGICAL ${lsn} ` +
          `("proto_version" '1', "publication_names" '${names}', "messages" 'true')`,
      );
    },
    parse: (bytes: Buffer): Buffer => bytes,
  };
}

/** Between two questions, when no part of an answer is under way. */
function emptyLargeMessages(stream: EventEmitter): void {
  const large = new LargeMessages();
  const readers = stream.listeners('data') as ((bytes: Buffer) => void)[];
  stream.removeAllListeners('data');
  stream.on('data', (bytes: Buffer) => {
    for (const piece of large.pass(bytes)) for (const read of readers) read.call(stream, piece);
  });
}

interface RawSocket {
  pause(): void;
  resume(): void;
  destroy(): void;
}

/** The library keeps it to itself. Undefined before it is connected and after it is closed. */
function connectionOf(service: LogicalReplicationService): object | undefined {
  const connection: unknown = Reflect.get(service, '_connection');
  return typeof connection === 'object' && connection !== null ? connection : undefined;
}

function socketOf(service: LogicalReplicationService): RawSocket | undefined {
  const connection = connectionOf(service);
  const stream: unknown = connection && Reflect.get(connection, 'stream');
  return isSocket(stream) ? stream : undefined;
}

function isSocket(value: unknown): value is RawSocket {
  return typeof value === 'object' && value !== null && 'pause' in value && 'resume' in value && 'destroy' in value;
}

/** Connects and asks for the stream. Where it begins is the slot's business: what was confirmed last. */
export function openStream(handlers: StreamHandlers, options: StreamOptions): ReplicationStream {
  const { queryTimeoutMs: _, ...source } = options.source;
  const config = clientConfig(source);
  const service = new LogicalReplicationService(config, {
    acknowledge: { auto: false, timeoutSeconds: 0 },
    flowControl: { enabled: false },
  });
  let closed = false;
  /** What came with it in one piece is not looked at any more. */
  let broken = false;
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_resolve, reject) => {
    fail = (error) => {
      broken = true;
      reject(withoutReplication(error) ?? error);
      if (!closed) socketOf(service)?.destroy();
    };
  });
  failed.catch(() => undefined);

  const guarded =
    <Args extends unknown[]>(handler: (...args: Args) => void) =>
    (...args: Args): void => {
      if (closed || broken) return;
      try {
        handler(...args);
      } catch (error) {
        fail(error);
      }
    };
  const onNotice = guarded((told: unknown) => {
    if (isWithoutPublication(told)) handlers.onWithoutPublication?.();
  });
  const begun = new Promise<void>((resolve) => {
    service.on('start', () => {
      const connection = connectionOf(service);
      if (connection instanceof EventEmitter) connection.on('notice', onNotice);
      resolve();
    });
  });
  service.on(
    'data',
    guarded((_lsn: string, bytes: Buffer) => handlers.onMessage(bytes)),
  );
  service.on(
    'heartbeat',
    guarded((lsn: string, _time: number, reply: boolean) => handlers.onKeepAlive(parseLsn(lsn), reply)),
  );
  service.on('error', (error) => fail(error));

  const over = service.subscribe(rawPgoutput(handlers, options), options.slot, '0/0').then(
    () => {
      if (!closed) throw new Error('the source ended the replication stream');
    },
    (error: unknown) => {
      if (!closed) throw error;
    },
  );
  over.catch(fail);
  // While it connects, pg never says that a connection which is closed has failed.
  const closing = Promise.withResolvers<void>();
  const ended = Promise.race([failed, over, closing.promise]);
  ended.catch(() => undefined);

  return {
    started: Promise.race([begun, ended]),
    ended,
    confirm(lsn, ping = false) {
      // The library sends LSN + 1.
      void service.acknowledge(formatLsn(lsn - 1n), ping).catch(fail);
    },
    pause: () => socketOf(service)?.pause(),
    resume: () => socketOf(service)?.resume(),
    async close() {
      if (closed) return;
      closed = true;
      closing.resolve();
      // A paused or half-open socket would never see the server's farewell.
      socketOf(service)?.destroy();
      await service.destroy().catch(() => undefined);
    },
  };
}
