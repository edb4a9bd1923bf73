/**
 * The settings of a process, from its environment. Every fault is reported at once, by name, before anything starts; no
 * value of a variable stands in an error. An empty variable counts as absent.
 */
import { isIP } from 'node:net';
import { z } from 'zod';
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

const absent = (value: unknown): unknown => (value === '' ? undefined : value);
const text = (schema: z.ZodType<string>) => z.preprocess(absent, schema.optional());

const NO_CERTIFICATE =
  'must be a certificate in PEM form, whole from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----';

function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && !/[?#@\s]/.test(text);
}

const Environment = z.object({
  PORT: text(z.string().refine(isPort, 'must be a whole number from 0 to 65535')),
  METRICS_PORT: text(z.string().refine(isPort, 'must be a whole number from 0 to 65535')),
  HOST: text(z.string().refine((value) => /^[\w.:%-]+$/.test(value), 'must be a host name or an IP address')),
  ALLOWED_HOSTS: text(
    z
      .string()
      .refine(
        (value) => readAllowedHosts(value) !== undefined,
        'must be host names or IP addresses with commas between them, without ports; *.example.com is all below it, * is any',
      ),
  ),
  TRUST_PROXY: text(z.string().regex(/^\d$/, 'must be the number of proxies before the HTTP API, from 0 to 9')),
  BASE_URL: text(
    z
      .string()
      .refine(isBaseUrl, 'must be an http:// or https:// address without a query: https://millrace.example.com'),
  ),
  DATABASE_URL: text(z.string()),
  DATABASE_CA_CERT: text(z.string().refine((value) => readCertificates(value) !== undefined, NO_CERTIFICATE)),
  SECRET_KEY: text(
    z.string().superRefine((value, context) => {
      const message = secretKeyFault(value);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    }),
  ),
  SECRET_KEY_PREVIOUS: text(
    z.string().min(SECRET_KEY_LENGTH, 'must be former values of SECRET_KEY, with commas between them'),
  ),
  ADMIN_PASSWORD: text(z.string().min(8, 'must have 8 characters or more')),
  LOG_LEVEL: z.preprocess(absent, z.enum(LEVELS, `must be one of ${LEVELS.join(', ')}`).optional()),
  ALLOW_PRIVATE_DESTINATIONS: text(
    z
      .string()
      .refine(
        (value) => readPrivateAllowed(value) !== undefined,
        'must be true, false, declared, or networks with commas between them (10.0.0.0/8, fd00::/8)',
      ),
  ),
  CONFIG_FILE_PATH: text(z.string()),
  CONFIG_FILE_YAML: text(
    z.string().refine(isBase64Text, 'must be UTF-8 text in base64; `base64 -w0 millrace.yaml` makes it'),
  ),
});

/** @throws MillraceError bad_setting with one fault for each wrong variable. */
export function readSettings(env: NodeJS.ProcessEnv): Declared {
  const parsed = Environment.safeParse(env);
  const faults: Fault[] = (parsed.error?.issues ?? []).map((issue) => ({
    field: String(issue.path[0]),
    message: issue.message,
  }));
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
  if (!parsed.success || faults.length > 0) throw badSettings(faults);
  const values = parsed.data;
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
    logLevel: values.LOG_LEVEL ?? 'info',
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
  if (certificates === undefined) throw badSettings([{ field: 'DATABASE_CA_CERT', message: NO_CERTIFICATE }]);
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

function isPort(value: string): boolean {
  return /^\d{1,5}$/.test(value) && Number(value) <= 65535;
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
