/** The one table of why a server cannot be reached: by what Node, OpenSSL, Postgres or pg says, in words, with what to do. */

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

/** Which of them it is, for whoever asks a program and not a person. */
export type ConnectionFaultId =
  | 'refused'
  | 'name_unknown'
  | 'timed_out'
  | 'unreachable'
  | 'certificate'
  | 'tls_refused'
  | 'auth'
  | 'no_database'
  | 'connections_short'
  | 'destination_denied';

export interface Cause {
  id: ConnectionFaultId;
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
export const CAUSES: readonly Cause[] = [
  {
    id: 'refused',
    code: /^ECONNREFUSED$/,
    words: 'nothing listens at this address',
    remedy: ({ host }) => `Start the server, or correct ${host}.`,
  },
  {
    id: 'name_unknown',
    code: /^(ENOTFOUND|EAI_NODATA|EAI_NONAME|ENODATA)$/,
    words: 'the host name is not known',
    remedy: ({ host }) => `Correct ${host}.`,
  },
  {
    id: 'name_unknown',
    code: /^(EAI_AGAIN|EAI_FAIL|ESERVFAIL)$/,
    words: 'the name service does not answer',
    remedy: () => `${again} If it lasts, check the name service (DNS) of this machine.`,
  },
  {
    id: 'timed_out',
    code: /^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/,
    words: 'there is no answer from this address',
    remedy: ({ host }) => `Check ${host}, and that the firewalls in between let this machine through.`,
  },
  {
    id: 'unreachable',
    code: /^(EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|EADDRNOTAVAIL)$/,
    words: 'there is no route to this address',
    remedy: ({ host }) => `Check ${host}, and the network of this machine (an IPv6 address needs an IPv6 network).`,
  },
  {
    id: 'unreachable',
    code: /^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/,
    words: 'the connection was cut',
    remedy: ({ host }) => `${again} If it lasts, look at the server's log, and check ${host}.`,
  },
  {
    id: 'refused',
    code: /^ENOENT$/,
    words: 'there is no such socket',
    remedy: ({ host }) => `Start the server, or correct ${host}: the folder that holds its socket.`,
  },
  {
    id: 'unreachable',
    code: /^(EACCES|EPERM)$/,
    words: 'this account may not connect there',
    remedy: () => 'Give the account that Millrace runs as the right to use this socket or network.',
  },
  {
    id: 'certificate',
    code: /SELF_SIGNED/,
    words: "the server's certificate is self-signed, or of an authority that is",
    remedy: byAuthority,
  },
  {
    id: 'certificate',
    code: /^(UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT.*|CERT_UNTRUSTED|CERT_SIGNATURE_FAILURE)$/,
    words: "the server's certificate is of an authority that is not known here",
    remedy: byAuthority,
  },
  {
    id: 'certificate',
    code: /^CERT_HAS_EXPIRED$/,
    words: "the server's certificate has expired",
    remedy: () => 'Renew it on the server, and check the clock of this machine.',
  },
  {
    id: 'certificate',
    code: /^CERT_NOT_YET_VALID$/,
    words: "the server's certificate is not valid yet",
    remedy: () => 'Check the clocks of the server and of this machine.',
  },
  {
    id: 'certificate',
    code: /^(ERR_TLS_CERT_ALTNAME_INVALID|HOSTNAME_MISMATCH)$/,
    words: "the server's certificate is for another name",
    remedy: ({ host }) => `Write the name that the certificate has into ${host}, or give the server one for this name.`,
  },
  {
    id: 'certificate',
    code: /^(CERT_|CRL_|INVALID_CA|INVALID_PURPOSE|PATH_LENGTH|ERR_TLS_CERT)|^UNABLE_TO_/,
    words: "the server's certificate does not hold",
    remedy: ({ ca }) => `Give the server another certificate, and its authority's as ${ca}.`,
  },
  {
    id: 'tls_refused',
    code: /^(EPROTO|ERR_SSL_.*|ERR_OSSL_.*|ERR_TLS_.*)$/,
    words: 'TLS cannot be agreed upon',
    remedy: ({ host, plain }) =>
      `Check ${host}, and that TLS 1.2 or newer is spoken there; for a server without: ${plain}.`,
  },
  {
    id: 'no_database',
    code: /^3D000$/,
    remedy: ({ database }) => `Create that database on the server, or correct ${database}.`,
  },
  {
    id: 'no_database',
    code: /^55000$/,
    says: /not currently accepting connections/,
    remedy: ({ database }) =>
      `Let it accept connections again (alter database ... allow_connections true), or correct ${database}.`,
  },
  {
    id: 'auth',
    code: /^28P01$/,
    remedy: ({ login }) => `Correct ${login}.`,
  },
  {
    id: 'auth',
    code: /^28000$/,
    says: /no pg_hba\.conf entry.*(no encryption|SSL off)/,
    remedy: ({ encrypted }) =>
      `The server may want TLS: ${encrypted}. Else add a line for this host, user and database to its pg_hba.conf.`,
  },
  {
    id: 'auth',
    code: /^28000$/,
    says: /^(Peer|Ident|GSSAPI|SSPI|certificate) authentication failed|client certificate/i,
    remedy: () => "Millrace logs in by password: let the server's pg_hba.conf ask for scram-sha-256 from this host.",
  },
  {
    id: 'auth',
    code: /^28000$/,
    says: /pg_hba\.conf/,
    remedy: () => "Add a line for this host, user and database to the server's pg_hba.conf, and reload it.",
  },
  {
    id: 'auth',
    code: /^28000$/,
    says: /not permitted to log in/,
    remedy: ({ login }) => `Allow it on the server (alter role ... login), or correct ${login}.`,
  },
  {
    id: 'auth',
    code: /^28/,
    remedy: ({ login }) => `Create that role on the server, or correct ${login}.`,
  },
  {
    id: 'auth',
    code: /^42501$/,
    says: /for database/,
    remedy: ({ login }) => `Let the role connect (grant connect on database ... to ...), or correct ${login}.`,
  },
  {
    id: 'connections_short',
    code: /^53300$/,
    says: /max_wal_senders/,
    remedy: () =>
      `${again} If it lasts, raise max_wal_senders of the server, which has to be restarted then, or end other replication connections: select * from pg_stat_replication.`,
  },
  {
    id: 'connections_short',
    code: /^53300$/,
    remedy: () =>
      `${again} If it lasts, raise max_connections of the server or the connection limit of the role, or end other sessions.`,
  },
  {
    id: 'unreachable',
    code: /^57P0/,
    remedy: () => `${again} The server is starting or stopping.`,
  },
  {
    id: 'tls_refused',
    code: /^MR_PLAIN_TEXT$/,
    remedy: ({ plain }) => `Switch TLS on in the server (ssl = on), or allow plain text there: ${plain}.`,
  },
  {
    id: 'auth',
    code: /^MR_WEAK_PASSWORD$/,
    remedy: ({ ca }) =>
      `Let the server ask for SCRAM (set password_encryption = 'scram-sha-256'; then set the role's password again), or verify it: ${ca}, or \`sslmode=verify-full\`.`,
  },
  {
    id: 'auth',
    code: /^MR_UNPROVEN$/,
    remedy: ({ host }) => `Check ${host}: somebody else may be answering. Behind a pooler, remove channel_binding.`,
  },
  {
    id: 'tls_refused',
    says: /^The server does not support SSL/,
    words: 'the server does not speak TLS',
    remedy: ({ plain }) => `Switch TLS on in the server (ssl = on), or allow plain text: ${plain}.`,
  },
  {
    id: 'tls_refused',
    says: /^There was an error establishing an SSL connection/,
    words: 'what answers is not Postgres',
    remedy: ({ host }) => `Correct ${host}.`,
  },
  {
    id: 'auth',
    says: /^(Unknown authenticationOk message type|SASL: Only mechanism)/,
    words: 'the server wants a login that Millrace does not know',
    remedy: () => "Let the server's pg_hba.conf ask for scram-sha-256 from this host.",
  },
  {
    id: 'auth',
    says: /^SASL: .*client password must be/,
    words: 'the server wants a password, and there is none',
    remedy: ({ login }) => `Complete ${login}.`,
  },
  {
    id: 'auth',
    says: /^SASL: .*server signature/,
    words: 'what answers does not know the password itself',
    remedy: ({ host }) => `Check ${host}: somebody else may be answering.`,
  },
  {
    id: 'timed_out',
    says: /^(timeout expired|timeout exceeded when trying to connect|Query read timeout)/,
    words: 'there is no answer',
    remedy: ({ host }) => `Check ${host}, and that the firewalls in between let this machine through.`,
  },
  {
    id: 'timed_out',
    says: /^no answer within/,
    remedy: ({ host }) => `Check that the server runs, ${host}, and the network in between.`,
  },
  {
    id: 'unreachable',
    says: /^Connection terminated/,
    words: 'the connection was cut',
    remedy: ({ host }) => `${again} If it lasts, look at the server's log, and check ${host}.`,
  },
];
