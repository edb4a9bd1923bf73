/**
 * pg's connection, with what protects the password: no plain text to where none may go, no answer to a server that asks
 * for the password as it is (or as md5, which is as good) unless that server was verified, and no login at all where a
 * proof was promised and none came. The address that is connected to is the one that was checked.
 */
import net from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import pg from 'pg';
import { UnsafeConnection } from '../model/connection-fault.ts';
import type { Mask } from '../model/mask.ts';
import { isLocal } from '../runtime/addresses.ts';
import { type AddressGuard, checkedLookup, guardOf, literalFault, type Reach } from '../runtime/checked-lookup.ts';

export interface Security {
  /** TLS and how it verifies; false or absent: none. */
  ssl?: false | Pick<ConnectionOptions, 'ca' | 'rejectUnauthorized' | 'checkServerIdentity'>;
  /** Where plain text may go. Local: this machine and private networks, and the default. */
  plain?: 'anywhere' | 'local' | 'never';
  /** Only a server that proves by the password that this TLS connection ends at itself. */
  channelBinding?: boolean;
  /** Absent: anywhere. */
  reach?: Reach;
}

/**
 * On a connection where nothing passes for so long the kernel asks whether the other end is there: firewalls and load balancers forget
 * those that are quiet for some minutes, and say so to nobody. Linux alone would wait for two hours.
 */
const KEEP_ALIVE_MS = 30_000;

/** For one connection: it is used once. `mask` goes over whatever the server says went wrong. */
export function guardedConnection(security: Security, mask: () => Mask): pg.Connection {
  const ssl = security.ssl ?? false;
  const socket = new CheckedSocket(security);
  const keepAlive = { keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_MS };
  const connection = new pg.Connection({ ssl, ...keepAlive, stream: () => socket });
  guardPassword(connection, security, socket);
  connection.on('errorMessage', (error: object) => maskError(error, mask()));
  connection.once(ssl ? 'sslconnect' : 'connect', () => containFaults(connection));
  return connection;
}

/** The fields that servers, extensions and users' triggers fill with words of their own. */
const WORDS = ['message', 'detail', 'hint', 'where', 'internalQuery', 'stack'];

/** These listeners come before those of pg's client too, which hands the error on. */
function maskError(error: object, mask: Mask): void {
  for (const word of WORDS) {
    const text: unknown = Reflect.get(error, word);
    if (typeof text === 'string') Reflect.set(error, word, mask(text));
  }
}

/** pg throws where nobody can catch it when a server wants a login that pg does not know: the connection ends instead. */
function containFaults(connection: pg.Connection): void {
  const { stream } = connection;
  let ready = false;
  connection.once('readyForQuery', () => {
    ready = true;
  });
  for (const read of stream.listeners('data')) {
    stream.off('data', read as (bytes: Buffer) => void);
    stream.on('data', (bytes: Buffer) => {
      try {
        read.call(stream, bytes);
      } catch (error) {
        if (ready) throw error;
        stream.destroy(error instanceof Error ? error : undefined);
      }
    });
  }
}

/** Connects to checked addresses only. */
class CheckedSocket extends net.Socket {
  readonly #security: Security;
  #isUnix = false;

  constructor(security: Security) {
    super();
    this.#security = security;
  }

  get isLocal(): boolean {
    return this.#isUnix || isLocal(this.remoteAddress ?? '');
  }

  /** As pg calls it: with a port and a host, or with the path of a Unix socket. */
  override connect(...args: unknown[]): this {
    const [where, host] = args;
    const guard = guardBy(this.#security);
    if (typeof where === 'string') {
      this.#isUnix = true;
      // Whoever may use the socket is on this machine.
      const fault = this.#security.reach && guardOf(this.#security.reach)('127.0.0.1');
      return fault ? this.destroy(fault) : super.connect({ path: where });
    }
    const fault = literalFault(String(host), guard);
    if (fault) return this.destroy(fault);
    const lookup = checkedLookup(guard, this.#security.reach?.resolver);
    return super.connect({ port: Number(where), host: String(host), lookup });
  }
}

function guardBy({ ssl, plain = 'local', reach }: Security): AddressGuard {
  const mayReach: AddressGuard = reach ? guardOf(reach) : () => undefined;
  return (address) => mayReach(address) ?? (!ssl && plain !== 'anywhere' ? plainFault(address) : undefined);
}

function plainFault(address: string): Error | undefined {
  if (isLocal(address)) return undefined;
  const message = `the server does not speak TLS, and ${address} is neither this machine nor in a private network`;
  return new UnsafeConnection('MR_PLAIN_TEXT', `${message}: no password was sent`);
}

/** May a password be sent so that whoever reads it has it? */
export function mayTell({ ssl, plain = 'local' }: Security, peer: { isLocal: boolean }): boolean {
  const isVerified = Boolean(ssl) && ssl !== false && ssl?.rejectUnauthorized !== false;
  return isVerified || (plain !== 'never' && peer.isLocal);
}

/** These listeners come before those of pg's client, which answers on a connection that is closed then. */
function guardPassword(connection: pg.Connection, security: Security, peer: CheckedSocket): void {
  let asked = false;
  let proven = false;
  const refuse = (error: Error): void => {
    connection.emit('error', error);
    connection.stream.destroy();
  };
  const tell = (how: string) => (): void => {
    if (security.channelBinding) refuse(unproven('asks for the password without a proof of its own'));
    else if (!mayTell(security, peer)) refuse(weak(how));
  };
  connection.on('authenticationCleartextPassword', tell('as plain text'));
  connection.on('authenticationMD5Password', tell('as an md5 hash'));
  connection.on('authenticationSASL', ({ mechanisms }: { mechanisms: string[] }) => {
    asked = true;
    if (security.channelBinding && !mechanisms.includes('SCRAM-SHA-256-PLUS')) {
      refuse(unproven('does not offer channel binding'));
    }
  });
  connection.on('authenticationSASLFinal', () => {
    proven = true;
  });
  connection.on('authenticationOk', () => {
    if (!proven && (asked || security.channelBinding)) refuse(unproven('did not prove that it knows the password'));
  });
}

const weak = (how: string): Error =>
  new UnsafeConnection(
    'MR_WEAK_PASSWORD',
    `the server asks for the password ${how}, and nothing verifies who it is: it was not sent`,
  );

const unproven = (what: string): Error => new UnsafeConnection('MR_UNPROVEN', `the server ${what}: nothing was sent`);
