/**
 * Why a server cannot be reached, in words, and what to do: the one table for databases and for servers that speak HTTP. What the
 * server itself says comes as it is; neither holds a secret.
 */
import { CAUSES, type ConnectionFaultId, type Place } from './connection-causes.ts';
import { MillraceError, messageOf } from './errors.ts';

export const MESSAGE_DATABASE: Place = {
  host: 'host and port in DATABASE_URL',
  login: 'user and password in DATABASE_URL',
  database: 'the database in DATABASE_URL',
  ca: 'DATABASE_CA_CERT',
  unverified: '`sslmode=require` in DATABASE_URL, without DATABASE_CA_CERT',
  plain: '`sslmode=disable` in DATABASE_URL',
  encrypted: '`sslmode=require` in DATABASE_URL',
};

export const DECLARED_DATABASE: Place = {
  host: 'the host and port of the database',
  login: 'the user and password of the database',
  database: 'the name of the database',
  ca: '`ssl: { ca }`',
  unverified: '`ssl: { verify: false }`',
  plain: '`ssl: false`',
  encrypted: '`ssl: true`',
};

/** A connection that was refused by us, before anything secret was sent. */
export class UnsafeConnection extends Error {
  readonly code: 'MR_ADDRESS' | 'MR_PLAIN_TEXT' | 'MR_WEAK_PASSWORD' | 'MR_UNPROVEN';
  /** Where it depends on more than the code. */
  readonly remedy: string | undefined;
  constructor(code: UnsafeConnection['code'], message: string, remedy?: string) {
    super(message);
    this.name = 'UnsafeConnection';
    this.code = code;
    this.remedy = remedy;
  }
}

export interface ConnectionFault {
  id: ConnectionFaultId;
  /** What happened. */
  message: string;
  /** What to do about it. */
  remedy: string;
}

/** What happened, and what to do about it; undefined for what is no matter of reaching a server. */
export function connectionFault(error: unknown, place: Place): ConnectionFault | undefined {
  const one = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
  if (!(one instanceof Error)) return undefined;
  const code = 'code' in one && typeof one.code === 'string' ? one.code : '';
  const said = messageOf(error);
  if (one instanceof UnsafeConnection && one.remedy !== undefined)
    return { id: 'destination_denied', message: said, remedy: one.remedy };
  const cause = CAUSES.find((each) => (each.code?.test(code) ?? true) && (each.says?.test(one.message) ?? true));
  if (cause === undefined) return undefined;
  return {
    id: cause.id,
    message: cause.words === undefined ? said : `${cause.words} (${said})`,
    remedy: cause.remedy(place),
  };
}

/** That a declared database cannot be used (`what`: which one, and for what), with the reason and what to do about it. */
export function unreachable(what: string, cause: unknown): MillraceError {
  const found = connectionFault(cause, DECLARED_DATABASE);
  return new MillraceError('unavailable', `${what}: ${found?.message ?? messageOf(cause)}`, {
    ...(found ? { remedy: found.remedy } : {}),
    cause,
  });
}
