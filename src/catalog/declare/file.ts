/**
 * millrace.yaml, read as a whole before anything starts: every fault at once, each with line, column, key and remedy,
 * none with a value that may be a secret.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Fault, MillraceError, messageOf } from '../../model/errors.ts';
import { type Finding, fieldOf, formatFaults, type Path } from '../../model/finding.ts';
import { isKey } from '../../model/section.ts';
import { type Checked, checkDeclaration, type Declared } from './declaration.ts';
import { type ReadDocument, readDocument } from './document.ts';
import { folderOf, readTyped } from './typed-file.ts';
import { yamlText } from './yaml-text.ts';

export interface Configuration {
  config: Declared;
  warnings: Fault[];
}

/** A file by its path (CONFIG_FILE_PATH), or its text (CONFIG_FILE_YAML, decoded by the settings). */
export type ConfigurationSource = { path: string } | { yaml: string };

/** The name of a source as faults show it. */
function sourceName(source: ConfigurationSource): string {
  return 'path' in source ? source.path : 'CONFIG_FILE_YAML';
}

/**
 * Reads and checks a configuration.
 * @throws MillraceError bad_configuration with every fault; see `formatFaults` for a terminal.
 */
export function readConfiguration(deps: Omit<ParseDeps, 'readFile'>, source: ConfigurationSource): Configuration {
  const name = sourceName(source);
  if ('yaml' in source) return parseConfiguration(deps, source.yaml, { name });
  const directory = path.dirname(path.resolve(source.path));
  const readFile = (file: string): string => readText(path.resolve(directory, file));
  return parseConfiguration({ ...deps, readFile }, readWhole(source.path), { name });
}

export interface ParseDeps {
  /** Null: no variable is replaced (a request). */
  env: NodeJS.ProcessEnv | null;
  readFile?: (path: string) => string;
  /** Only this machine reaches the port: then a token may be weak. */
  loopbackOnly?: boolean;
}

/** As `readConfiguration`, of a text. `name` is the file's in the error. */
export function parseConfiguration(deps: ParseDeps, text: string, options: { name?: string } = {}): Configuration {
  return parse(deps, text, options).configuration;
}

/** As `readConfiguration`, of a file that somebody named on a command line; `-`: the standard input. */
export function readTypedConfiguration(deps: Omit<ParseDeps, 'readFile'>, file: string): Configuration {
  return parseConfiguration({ ...deps, readFile: readingBeside(file) }, readTyped(file), { name: file });
}

const readingBeside =
  (file: string) =>
  (name: string): string =>
    readText(path.resolve(folderOf(file), name));

/**
 * A file's text for a reader who has neither our environment nor our disk: variables are replaced, and files of functions are
 * read. @throws MillraceError as `readConfiguration` does.
 */
export function resolvedText(env: NodeJS.ProcessEnv, file: string): string {
  const readFile = readingBeside(file);
  // Whether a token is too weak is the reader's to say.
  const { document } = parse({ env, readFile, loopbackOnly: true }, readTyped(file), { name: file });
  return yamlText(withFiles(Object(document.value()), readFile));
}

function withFiles(value: object, readFile: (name: string) => string): object {
  const lists = ['functions', 'transforms'].map((list) => [list, Reflect.get(value, list)] as const);
  const read = (entry: object): object => {
    const inner = ['transform', 'function'].map((key) => [key, Reflect.get(entry, key)] as const);
    const nested = inner.filter(([, of]) => typeof of === 'object' && of !== null).map(([key, of]) => [key, read(of)]);
    const { file, ...rest } = entry as { file?: unknown };
    return { ...rest, ...(typeof file === 'string' ? { code: readFile(file) } : {}), ...Object.fromEntries(nested) };
  };
  const given = lists.filter((pair): pair is [string, object[]] => Array.isArray(pair[1]));
  return {
    ...value,
    ...Object.fromEntries(given.map(([list, entries]) => [list, entries.map((one) => read(Object(one)))])),
  };
}

/** Of each sort of fault: a text of a megabyte can have a million. */
const TOLD = 1_000;

function parse(
  deps: ParseDeps,
  text: string,
  options: { name?: string },
): { document: ReadDocument; configuration: Configuration } {
  const document = readDocument(text, deps.env, { isCode, isKey });
  const checked = checkWithTexts(document, deps);
  const place = (finding: Finding): Fault => ({
    field: fieldOf(finding.path),
    message: finding.message,
    remedy: finding.remedy,
    ...document.locate(finding.path, finding.onKey),
  });
  const unset = new Set(document.findings.map((finding) => fieldOf(finding.path)));
  // What a missing variable left behind is not a second fault.
  const others = checked.faults.filter((fault) => !unset.has(fieldOf(fault.path)));
  const faults = [
    ...document.syntax.slice(0, TOLD).map(({ place: at, ...finding }) => ({ ...place(finding), ...at })),
    ...[...document.findings.slice(0, TOLD), ...others.slice(0, TOLD)].map(place),
  ].sort(byPlace);
  if (faults.length > 0) {
    const name = options.name ?? 'millrace.yaml';
    const all = document.syntax.length + document.findings.length + others.length;
    const told = all > faults.length ? `, of which ${faults.length} follow,` : '';
    const count = all === 1 ? 'a fault' : `${all} faults${told}`;
    throw new MillraceError('bad_configuration', `${count} in the configuration:\n${formatFaults(faults, name)}`, {
      faults,
    });
  }
  return {
    document,
    configuration: {
      config: checked.declared,
      warnings: [...document.warnings, ...checked.warnings].map(place).sort(byPlace),
    },
  };
}

function byPlace(a: Fault, b: Fault): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

const NOTHING: Checked = {
  declared: { databases: [], functions: [], sinks: [], tokens: [] },
  faults: [],
  warnings: [],
};

/** Checks; where a text was expected and a variable gave `123` or `true` instead, takes it as the text that it is. */
function checkWithTexts(document: ReadDocument, options: Omit<ParseDeps, 'env'>): Checked {
  for (;;) {
    const value = document.value();
    if (document.syntax.length + document.findings.length > 0 && value === undefined) return NOTHING;
    const checked = checkDeclaration(value, options);
    const taken = checked.faults.filter((fault) => fault.wantsText === true && document.takeAsText(fault.path));
    if (taken.length === 0) return checked;
  }
}

function isCode(at: Path): boolean {
  return (at[0] === 'functions' || at[0] === 'transforms') && at.at(-1) === 'code';
}

function readWhole(file: string): string {
  try {
    return readText(file);
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : messageOf(error);
    const fault = {
      field: 'CONFIG_FILE_PATH',
      message: `names a file that cannot be read (${reason})`,
      remedy: 'Give the path of a readable UTF-8 file, relative to where the service starts.',
    };
    throw new MillraceError('bad_configuration', `${file}: ${fault.message}`, {
      faults: [fault],
      remedy: fault.remedy,
    });
  }
}

/** UTF-8 without a byte order mark. */
function readText(file: string): string {
  return new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
}
