/** The settings of a process for people to see: each variable by its name. A secret only says that it is set. */
import { isFault, readAddress } from '../model/database-address.ts';
import { MASK } from '../model/masked.ts';
import type { Declared } from './settings.ts';

export interface ShownSetting {
  /** Of its variable. */
  name: string;
  /** Null: it is not set, and there is no default. */
  value: string | null;
}

export function shownSettings(settings: Declared): ShownSetting[] {
  const { databaseUrl, port, host, allowedHosts, trustProxy, baseUrl, metricsPort, logLevel, privateAllowed } =
    settings;
  const secret = (value: unknown): string | null => (value === null ? null : MASK);
  const values: Record<string, string | number | boolean | null> = {
    ...{ PORT: port, HOST: host, ALLOWED_HOSTS: allowedHosts?.join(', ') ?? null, TRUST_PROXY: trustProxy },
    ...{ BASE_URL: baseUrl, METRICS_PORT: metricsPort, DATABASE_URL: databaseUrl && addressInWords(databaseUrl) },
    DATABASE_CA_CERT: settings.databaseCaCert === null ? null : 'a certificate',
    SECRET_KEY: secret(settings.secretKey),
    SECRET_KEY_PREVIOUS: settings.previousKeys.length === 0 ? null : settings.previousKeys.map(() => MASK).join(', '),
    ADMIN_PASSWORD: secret(settings.adminPassword),
    LOG_LEVEL: logLevel,
    ALLOW_PRIVATE_DESTINATIONS: Array.isArray(privateAllowed) ? privateAllowed.join(', ') : String(privateAllowed),
    CONFIG_FILE_PATH: settings.configFilePath,
    CONFIG_FILE_YAML: settings.configFileYaml === null ? null : `${settings.configFileYaml.length} characters`,
  };
  return Object.entries(values).map(([name, value]) => ({ name, value: value === null ? null : String(value) }));
}

/** Where it leads to, without a password in any of its places. */
export function addressInWords(url: string): string {
  const read = readAddress(url);
  if (isFault(read)) return MASK;
  const { host, port, database, user, tls } = read;
  return `${database} on ${host}:${port}${user === undefined ? '' : ` as ${user}`}${tls === undefined ? '' : `, sslmode ${tls}`}`;
}
