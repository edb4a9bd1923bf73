/**
 * Why a server cannot be reached, in words, and what to do: the one table for databases and for servers that speak HTTP. What the
 * server itself says comes as it is; neither holds a secret.
 */
import { MillraceError, messageOf } from './errors.ts';

/** How a place is declared: what a remedy has to name. */
export interface Place {
  /** Where host and port are written. */
  host: string;
  /** Where user and password are. */
  login: string;
  /** Where the name of the database is. */
  database: string;
  /** Where the certificate goes that the server is verified by. */
  ca: string;
  /** How verification is switched off, how plain text is allowed, how TLS is asked for. */
  unverified: string;
  plain: string;
  encrypted: string;
}

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
  host: 'host and port of the database in millrace.yaml',
  login: 'user and password of the database in millrace.yaml',
  database: 'the name of the database in millrace.yaml',
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

interface Cause {
  code?: RegExp;
  /** Of the message, where there is no code or it says too little. */
  says?: RegExp;
  /** Before what was said. */
  words?: string;
  remedy: (place: Place) => string;
}

const byAuthority = ({ ca, unverified }: Place): string =>
  `Give the certificate of its authority (or its own, if it is self-signed) as ${ca}, or switch verification off: ${unverified}.`;
const again = 'It is tried again.';

/** The first that fits. Codes of Node and of OpenSSL, then SQLSTATEs, then words of pg's that have no code. */
const CAUSES: Cause[] = [
  {
    code: /^ECONNREFUSED$/,
    words: 'nothing listens at this address',
    remedy: ({ host }) => `Start the server, or correct ${host}.`,
  },
  {
    code: /^(ENOTFOUND|EAI_NODATA|EAI_NONAME|ENODATA)$/,
    words: 'the host name is not known',
    remedy: ({ host }) => `Correct ${host}.`,
  },
  {
    code: /^(EAI_AGAIN|EAI_FAIL|ESERVFAIL)$/,
    words: 'the name service does not answer',
    remedy: () => `${again} If it lasts, check the name service (DNS) of this machine.`,
  },
  {
    code: /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    words: 'there is no answer from this address',
    remedy: ({ host }) => `Check ${host}, and that the firewalls in between let this machine through.`,
  },
  {
    code: /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL)$/,
    words: 'there is no route to this address',
    remedy: ({ host }) => `Check ${host}, and the network of this machine (an IPv6 address needs an IPv6 network).`,
  },
  {
    code: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    words: 'the connection was cut',
    remedy: ({ host }) => `${again} If it lasts, look at the server's log, and check ${host}.`,
  },
  {
    code: /^ENOENT$/,
    words: 'there is no such socket',
    remedy: ({ host }) => `Start the server, or correct ${host}: the folder that holds its socket.`,
  },
  {
    code: /^(EACCES|EPERM)$/,
    words: 'this account may not connect there',
    remedy: () => 'Give the account that Millrace runs as the right to use this socket or network.',
  },
  {
    code: /SELF_SIGNED/,
    words: "the server's certificate is self-signed, or of an authority that is",
    remedy: byAuthority,
  },
  {
    code: /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT.*|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE)$/,
    words: "the server's certificate is of an authority that is not known here",
    remedy: byAuthority,
  },
  {
    code: /^CERT_HAS_EXPIRED$/,
    words: "the server's certificate has expired",
    remedy: () => 'Renew it on the server, and check the clock of this machine.',
  },
  {
    code: /^CERT_NOT_YET_VALID$/,
    words: "the server's certificate is not valid yet",
    remedy: () => 'Check the clocks of the server and of this machine.',
  },
  {
    code: /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    words: "the server's certificate is for another name",
    remedy: ({ host }) => `Write the name that the certificate has into ${host}, or give the server one for this name.`,
  },
  {
    code: /^(CERT_|CRL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|ERR_TLS_CERT)|^UNABLE_TO_/,
    words: "the server's certificate does not hold",
    remedy: ({ ca }) => `Give the server another certificate, and its authority's as ${ca}.`,
  },
  {
    code: /^(EPROTO|ERR_SSL_.*|ERR_OSSL_.*|ERR_TLS_.*)$/,
    words: 'TLS cannot be agreed upon',
    remedy: ({ host, plain }) =>
      `Check ${host}, and that TLS 1.2 or newer is spoken there; for a server without: ${plain}.`,
  },
  {
    code: /^3D000$/,
    remedy: ({ database }) => `Create that database on the server, or correct ${database}.`,
  },
  {
    code: /^55000$/,
    says: /not currently accepting connections/,
    remedy: ({ database }) =>
      `Let it accept connections again (alter database ... allow_connections true), or correct ${database}.`,
  },
  {
    code: /^28P01$/,
    remedy: ({ login }) => `Correct ${login}.`,
  },
  {
    code: /^28000$/,
    says: /no pg_hba\.conf entry.*(no encryption|SSL off)/,
    remedy: ({ encrypted }) =>
      `The server may want TLS: ${encrypted}. Else add a line for this host, user and database to its pg_hba.conf.`,
  },
  {
    code: /^28000$/,
    says: /^(Peer|Ident|GSSAPI|SSPI|certificate) authentication failed|client certificate/i,
    remedy: () => "Millrace logs in by password: let the server's pg_hba.conf ask for scram-sha-256 from this host.",
  },
  {
    code: /^28000$/,
    says: /pg_hba\.conf/,
    remedy: () => "Add a line for this host, user and database to the server's pg_hba.conf, and reload it.",
  },
  {
    code: /^28000$/,
    says: /not permitted to log in/,
    remedy: ({ login }) => `Allow it on the server (alter role ... login), or correct ${login}.`,
  },
  {
    code: /^28/,
    remedy: ({ login }) => `Create that role on the server, or correct ${login}.`,
  },
  {
    code: /^42501$/,
    says: /for database/,
    remedy: ({ login }) => `Let the role connect (grant connect on database ... to ...), or correct ${login}.`,
  },
  {
    code: /^53300$/,
    remedy: () =>
      `${again} If it lasts, raise max_connections of the server or the connection limit of the role, or end other sessions.`,
  },
  {
    code: /^57P0/,
    remedy: () => `${again} The server is starting or stopping.`,
  },
  {
    code: /^MR_PLAIN_TEXT$/,
    remedy: ({ plain }) => `Switch TLS on in the server (ssl = on), or allow plain text there: ${plain}.`,
  },
  {
    code: /^MR_WEAK_PASSWORD$/,
    remedy: ({ ca }) =>
      `Let the server ask for SCRAM (set password_encryption = 'scram-sha-256'; then set the role's password again), or verify it: ${ca}, or \`sslmode=verify-full\`.`,
  },
  {
    code: /^MR_UNPROVEN$/,
    remedy: ({ host }) => `Check ${host}: somebody else may be answering. Behind a pooler, remove channel_binding.`,
  },
  {
    says: /^The server does not support SSL/,
    words: 'the server does not speak TLS',
    remedy: ({ plain }) => `Switch TLS on in the server (ssl = on), or allow plain text: ${plain}.`,
  },
  {
    says: /^There was an error establishing an SSL connection/,
    words: 'what answers is no Postgres',
    remedy: ({ host }) => `Correct ${host}.`,
  },
  {
    says: /^(Unknown authenticationOk message type|SASL: Only mechanism)/,
    words: 'the server wants a login that Millrace does not know',
    remedy: () => "Let the server's pg_hba.conf ask for scram-sha-256 from this host.",
  },
  {
    says: /^SASL: .*client password must be/,
    words: 'the server wants a password, and there is none',
    remedy: ({ login }) => `Complete ${login}.`,
  },
  {
    says: /^SASL: .*server signature/,
    words: 'what answers does not know the password itself',
    remedy: ({ host }) => `Check ${host}: somebody else may be answering.`,
  },
  {
    says: /^(timeout expired|timeout exceeded when trying to connect|Query read timeout)/,
    words: 'there is no answer',
    remedy: ({ host }) => `Check ${host}, and that the firewalls in between let this machine through.`,
  },
  {
    says: /^no answer within/,
    remedy: ({ host }) => `Check that the server runs, ${host}, and the network in between.`,
  },
  {
    says: /^Connection terminated/,
    words: 'the connection was cut',
    remedy: ({ host }) => `${again} If it lasts, look at the server's log, and check ${host}.`,
  },
];

/** What happened, and what to do about it; undefined for what is no matter of reaching a server. */
export function connectionFault(error: unknown, place: Place): { message: string; remedy: string } | undefined {
  const one = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
  if (!(one instanceof Error)) return undefined;
  const code = 'code' in one && typeof one.code === 'string' ? one.code : '';
  const said = messageOf(error);
  if (one instanceof UnsafeConnection && one.remedy !== undefined) return { message: said, remedy: one.remedy };
  const cause = CAUSES.find((each) => (each.code?.test(code) ?? true) && (each.says?.test(one.message) ?? true));
  if (cause === undefined) return undefined;
  return {
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
