/**
 * The settings of a process, from its environment. Every fault is reported at once, by name, before anything starts; no
 * value of a variable stands in an error. An empty variable counts as absent.
 */
import { isIP } from 'node:net';
import { readCertificates } from '../model/certificate.ts';
import { isFault, readAddress, tlsOf } from '../model/database-address.ts';
import { type Fault, MillraceError } from '../model/errors.ts';
import { type PrivateAllowed, readPrivateAllowed } from './addresses.ts';
import type { LogLevel } from './log.ts';
import { previousKeysOf, SECRET_KEY_LENGTH, secretKeyFault } from './secret-key.ts';

export interface Declared {
  port: number;
  /** True when PORT was given, so that no other one may be taken. */
  portGiven: boolean;
  /** Where a worker and a capture show their metrics; null: nowhere. */
  metricsPort: number | null;
  /** Address to listen on; null is all of them. */
  host: string | null;
  /** Names that the HTTP API answers to; null: what suits `host`. */
  allowedHosts: string[] | null;
  /** How many proxies stand before the HTTP API, and say where a request comes from. */
  trustProxy: number;
  /** By which address people reach the web role; without a slash at its end. */
  baseUrl: string | null;
  /** Null: the embedded server. */
  databaseUrl: string | null;
  databaseCaCert: string | null;
  secretKey: string | null;
  /** Former keys, which open what they sealed. */
  previousKeys: string[];
  adminPassword: string | null;
  logLevel: LogLevel;
  /** ALLOW_PRIVATE_DESTINATIONS: all with the embedded server, else what is declared. */
  privateAllowed: PrivateAllowed;
  configFilePath: string | null;
  /** The text itself, decoded. */
  configFileYaml: string | null;
}

/** What a role runs with: the message database and the key are known. */
export interface Settings extends Declared {
  databaseUrl: string;
  secretKey: string;
}

export const DEFAULT_PORT = 7376;
const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const NO_CERTIFICATE =
  'be a certificate in PEM form, whole from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----';

function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && !/[?#@\s]/.test(text);
}

/** Of a value that is not empty: undefined where it is right, else what is wrong with it, without it. */
type Check = (value: string) => string | undefined;

const must =
  (isRight: (value: string) => boolean, words: string): Check =>
  (value) =>
    isRight(value) ? undefined : `must ${words}`;
const isPort = must((value) => /^\d{1,5}$/.test(value) && Number(value) <= 65535, 'be a whole number from 0 to 65535');
const anyText: Check = () => undefined;

const VARIABLES = [
  ...(['PORT', 'METRICS_PORT', 'HOST', 'ALLOWED_HOSTS', 'TRUST_PROXY', 'BASE_URL'] as const),
  ...(['DATABASE_URL', 'DATABASE_CA_CERT', 'SECRET_KEY', 'SECRET_KEY_PREVIOUS', 'ADMIN_PASSWORD'] as const),
  ...(['LOG_LEVEL', 'ALLOW_PRIVATE_DESTINATIONS', 'CONFIG_FILE_PATH', 'CONFIG_FILE_YAML'] as const),
];
type Variable = (typeof VARIABLES)[number];

/** By hand: every role reads its settings, and a library that describes them would take 13 MB of each. */
const CHECKS: Record<Variable, Check> = {
  PORT: isPort,
  METRICS_PORT: isPort,
  HOST: must((value) => /^[\w.:%-]+$/.test(value), 'be a host name or an IP address'),
  ALLOWED_HOSTS: must(
    (value) => readAllowedHosts(value) !== undefined,
    'be host names or IP addresses with commas between them, without ports; *.example.com is all below it, * is any',
  ),
  TRUST_PROXY: must((value) => /^\d$/.test(value), 'be the number of proxies before the HTTP API, from 0 to 9'),
  BASE_URL: must(isBaseUrl, 'be an http:// or https:// address without a query: https://millrace.example.com'),
  DATABASE_URL: anyText,
  DATABASE_CA_CERT: must((value) => readCertificates(value) !== undefined, NO_CERTIFICATE),
  SECRET_KEY: secretKeyFault,
  SECRET_KEY_PREVIOUS: must(
    (value) => value.length >= SECRET_KEY_LENGTH,
    'be former values of SECRET_KEY, with commas between them',
  ),
  ADMIN_PASSWORD: must((value) => value.length >= 8, 'have 8 characters or more'),
  LOG_LEVEL: must((value) => levelOf(value) !== undefined, `be one of ${LEVELS.join(', ')}`),
  ALLOW_PRIVATE_DESTINATIONS: must(
    (value) => readPrivateAllowed(value) !== undefined,
    'be true, false, declared, or networks with commas between them (10.0.0.0/8, fd00::/8)',
  ),
  CONFIG_FILE_PATH: anyText,
  CONFIG_FILE_YAML: must(isBase64Text, 'be UTF-8 text in base64; `base64 < millrace.yaml` makes it'),
};

const levelOf = (value: string | undefined): LogLevel | undefined => LEVELS.find((level) => level === value);

/** @throws MillraceError bad_setting with one fault for each wrong variable. */
export function readSettings(env: NodeJS.ProcessEnv): Declared {
  const values: Partial<Record<Variable, string>> = {};
  const faults: Fault[] = [];
  for (const variable of VARIABLES) {
    const value = env[variable];
    if (value === undefined || value === '') continue;
    values[variable] = value;
    const message = CHECKS[variable](value);
    if (message !== undefined) faults.push({ field: variable, message });
  }
  faults.push(...databaseFaults(env));
  if (env.DATABASE_URL && !env.SECRET_KEY) {
    const remedy =
      'Set it to 32 characters or more, the same for every role and release; `openssl rand -base64 32` makes one.';
    faults.push({ field: 'SECRET_KEY', message: 'is required with DATABASE_URL', remedy });
  }
  if (env.CONFIG_FILE_PATH && env.CONFIG_FILE_YAML) {
    faults.push({
      field: 'CONFIG_FILE_YAML',
      message: 'is given together with CONFIG_FILE_PATH',
      remedy: 'Give one of them.',
    });
  }
  if (faults.length > 0) throw badSettings(faults);
  return {
    port: Number(values.PORT ?? DEFAULT_PORT),
    portGiven: values.PORT !== undefined,
    metricsPort: values.METRICS_PORT === undefined ? null : Number(values.METRICS_PORT),
    host: values.HOST ?? (values.DATABASE_URL === undefined ? '127.0.0.1' : null),
    allowedHosts: readAllowedHosts(values.ALLOWED_HOSTS ?? '') ?? null,
    trustProxy: Number(values.TRUST_PROXY ?? 0),
    baseUrl: values.BASE_URL?.replace(/\/+$/, '') ?? null,
    databaseUrl: values.DATABASE_URL ?? null,
    databaseCaCert: readCertificates(values.DATABASE_CA_CERT ?? '') ?? null,
    secretKey: values.SECRET_KEY ?? null,
    previousKeys: values.SECRET_KEY_PREVIOUS === undefined ? [] : previousKeysOf(values.SECRET_KEY_PREVIOUS),
    adminPassword: values.ADMIN_PASSWORD ?? null,
    logLevel: levelOf(values.LOG_LEVEL) ?? 'info',
    privateAllowed:
      readPrivateAllowed(values.ALLOW_PRIVATE_DESTINATIONS ?? '') ?? (values.DATABASE_URL === undefined || 'declared'),
    configFilePath: values.CONFIG_FILE_PATH ?? null,
    configFileYaml: values.CONFIG_FILE_YAML === undefined ? null : decodeBase64(values.CONFIG_FILE_YAML),
  };
}

/** For whoever needs no other setting. @throws MillraceError bad_setting when it is no certificate. */
export function readCaCert({ DATABASE_CA_CERT: text }: NodeJS.ProcessEnv): string | null {
  if (!text) return null;
  const certificates = readCertificates(text);
  if (certificates === undefined) throw badSettings([{ field: 'DATABASE_CA_CERT', message: `must ${NO_CERTIFICATE}` }]);
  return certificates;
}

/** A role on its own has no embedded server. @throws MillraceError bad_setting */
export function withDatabase(declared: Declared): Settings {
  const { databaseUrl, secretKey } = declared;
  const remedy = 'Set it, or run `bin/millrace start`, which brings its own Postgres.';
  if (databaseUrl === null) {
    throw badSettings([{ field: 'DATABASE_URL', message: 'is required by a role that runs on its own', remedy }]);
  }
  if (secretKey === null) throw badSettings([{ field: 'SECRET_KEY', message: 'is required with DATABASE_URL' }]);
  return { ...declared, databaseUrl, secretKey };
}

function badSettings(faults: Fault[]): MillraceError {
  const lines = faults.map((fault) => `${fault.field} ${fault.message}`);
  return new MillraceError('bad_setting', lines.join('; '), { faults });
}

/** Names in lower case, addresses without brackets; undefined when one is none, or there is none. */
function readAllowedHosts(text: string): string[] | undefined {
  const hosts = text
    .split(/[,\s]+/)
    .filter((host) => host !== '')
    .map((host) =>
      host
        .toLowerCase()
        .replace(/^\[(.*)\]$/, '$1')
        .replace(/(?<!\*)\.$/, ''),
    );
  const isHost = (host: string): boolean => isIP(host) !== 0 || /^(\*|(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/.test(host);
  return hosts.length > 0 && hosts.every(isHost) ? hosts : undefined;
}

/** Also of what DATABASE_CA_CERT has to do with it. */
function databaseFaults(env: NodeJS.ProcessEnv): Fault[] {
  if (!env.DATABASE_URL) return [];
  const read = readAddress(env.DATABASE_URL);
  const tls = 'message' in read ? read : tlsOf(read, { ca: env.DATABASE_CA_CERT || null, name: 'DATABASE_CA_CERT' });
  return isFault(tls) ? [{ field: 'DATABASE_URL', ...tls }] : [];
}

function isBase64Text(value: string): boolean {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value.replaceAll(/\s/g, ''))) return false;
  try {
    decodeBase64(value);
    return true;
  } catch {
    return false;
  }
}

/** @throws TypeError when the bytes are not UTF-8. */
function decodeBase64(value: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(value, 'base64'));
}
