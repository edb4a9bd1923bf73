/** Parsing for tests: the outcome of a text, and its faults as short lines. */
import { type Configuration, type ParseDeps, parseConfiguration } from '../../src/catalog/declare/file.ts';
import { type Fault, MillraceError } from '../../src/model/errors.ts';
import { type KeyRing, keyRing } from '../../src/runtime/secret-key.ts';
import { certificateAuthority } from '../support/fixtures/certificate.ts';

export const SECRET_KEY = 'ZbR4t9LwQe2vXk7nHc1yUf6sJd3mPa8g';
export const KEYS: KeyRing = keyRing({ secretKey: SECRET_KEY, previousKeys: [] });

export function parse(text: string, deps: Partial<ParseDeps> = {}): Configuration {
  return parseConfiguration({ env: {}, loopbackOnly: true, ...deps }, text);
}

/** The faults of a text; none when it is accepted. Anything thrown but a MillraceError comes through. */
export function faultsOf(text: string, deps: Partial<ParseDeps> = {}): readonly Fault[] {
  try {
    parse(text, deps);
    return [];
  } catch (error) {
    if (error instanceof MillraceError && error.code === 'bad_configuration') return error.faults;
    throw error;
  }
}

/** `12:7 sinks[0].name is missing`. */
export function linesOf(text: string, deps: Partial<ParseDeps> = {}): string[] {
  return faultsOf(text, deps).map((fault) => `${fault.line}:${fault.column} ${fault.field} ${fault.message}`);
}

/** A certificate, as a text in quotes. */
export const CA = JSON.stringify(certificateAuthority().cert);

export const SHOP = `databases:
  - name: shop
    url: postgres://app:hunter22@db.example.com:6432/shop
    slot: { name: millrace, create_if_not_exists: true }
    publication: { name: millrace, create_if_not_exists: true }
`;

/** A file with one database, and a sink of these lines (indented by four) beside its name and database. */
export function sinkFile(lines: string): string {
  const body = lines.replaceAll(/^/gm, '    ');
  return `${SHOP}sinks:\n  - name: worker\n    database: shop\n${body}\n`;
}

export const PULL = 'destination: { type: pull }';
export const search = (rest: string): string =>
  sinkFile(`destination: { type: elasticsearch, endpoint_url: http://h:9200, index_name: i, auth_type: none${rest} }`);
export const database = (lines: string): string => `databases:\n  - name: shop\n${lines}\n`;
export const retention = (name: string, from: string, to: string, rest = ''): string =>
  `  - { name: ${name}, source_database: shop, source_table_name: ${from}, destination_database: shop, destination_table_name: ${to}${rest} }\n`;
export const code = (type: string, name = 'f'): string =>
  `functions: [{ name: ${name}, type: ${type}, code: "() => true" }]\n`;
