/**
 * The one door to `yaml`: a text becomes a value, and every place in it keeps its line and column. Messages are ours,
 * because the library's quote the text, where a secret may stand. A document with faults still yields what could be
 * read, so that all faults are reported together.
 */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Scalar } from 'yaml';
import type { Finding, Path } from '../../model/finding.ts';
import { isUnstorable } from '../../model/storable.ts';
import { DocumentNodes, isMerge } from './document-nodes.ts';
import { plainValueOf } from './document-value.ts';
import { type Hiding, hidingFor, plainValue, type ReplaceOptions } from './variables.ts';

export interface Place {
  line: number;
  column: number;
}

export interface ReadDocument {
  /** The value; undefined when the text is not YAML at all. */
  value(): unknown;
  findings: Finding[];
  warnings: Finding[];
  /** Faults without a path of their own: `place` says where they are. */
  syntax: (Finding & { place: Place })[];
  /** Line and column, from 1, of the value at the path or of the nearest thing around it. */
  locate(path: Path, onKey?: boolean): Place;
  /** Takes what a variable put at the path as text. False when there is no such thing. */
  takeAsText(path: Path): boolean;
}

export interface ReadOptions {
  /** Does the path lead to JavaScript, where `${NAME}` is not ours? */
  isCode: (path: Path) => boolean;
  /** Is it a key that anybody may see? In a broken text what looks like a key may be part of a secret. */
  isKey: (key: string) => boolean;
}

/** Faults of a text that is no YAML are told from the beginning on, and those behind are not: they follow from them. */
const SYNTAX_FAULTS = 100;

export function readDocument(text: string, env: NodeJS.ProcessEnv | null, options: ReadOptions): ReadDocument {
  const counter = new LineCounter();
  const hiding = hidingFor(text);
  const document = parseDocument(hiding?.hide(text) ?? '', {
    lineCounter: counter,
    logLevel: 'error',
    merge: true,
    prettyErrors: false,
    // Looked for below: the library compares each key with each.
    uniqueKeys: false,
  });
  const placeOf = (offset: number): Place => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const nodes = new DocumentNodes(document);
  const errors = [...document.errors, ...document.warnings].slice(0, SYNTAX_FAULTS);
  const { findings, warnings, texts, duplicates, paths } = look(nodes, {
    ...{ env, hiding },
    isCode: options.isCode,
    offsets: errors.map((error) => error.pos[0]),
  });
  const isYaml = document.errors.length === 0;
  const syntax = errors.map((error, index) => ({
    path: known(paths[index] ?? [], options.isKey),
    ...(SYNTAX[error.code] ?? NOT_YAML),
    place: placeOf(error.pos[0]),
  }));
  if (hiding === undefined) syntax.push({ path: [], ...NOWHERE_TO_HIDE, place: placeOf(0) });
  for (const { path, offset } of duplicates.slice(0, SYNTAX_FAULTS))
    syntax.push({ path: known(path, options.isKey), ...SYNTAX.DUPLICATE_KEY!, place: placeOf(offset) });
  return {
    findings: isYaml ? findings : [],
    warnings,
    syntax,
    value: () => {
      const plain = isYaml ? plainValueOf(nodes, document.contents) : undefined;
      if (isYaml && plain === undefined && findings.length === 0)
        syntax.push({ path: [], ...BAD_ALIAS, place: { line: 1, column: 1 } });
      return plain?.value;
    },
    locate: (path, onKey) => placeOf(offsetOf(nodes, path, onKey === true)),
    takeAsText: (path) => {
      const way = nodes.along(path);
      const node = way.length > path.length ? nodes.resolved(way.at(-1)?.node) : undefined;
      const written = isScalar(node) ? texts.get(node) : undefined;
      if (!isScalar(node) || written === undefined || node.value === written) return false;
      node.value = written;
      return true;
    },
  };
}

interface Reason {
  message: string;
  remedy: string;
}

const TOO_DEEP: Reason = {
  message: 'is nested deeper than any declaration',
  remedy: 'Remove brackets or levels of indentation.',
};
const NOT_YAML: Reason = { message: 'is not valid YAML here', remedy: 'Check indentation, quotes and brackets.' };
const SYNTAX: Record<string, Reason> = {
  DUPLICATE_KEY: { message: 'appears twice', remedy: 'Remove one of the two keys.' },
  TAB_AS_INDENT: { message: 'is indented with a tab', remedy: 'Indent with spaces.' },
  BAD_INDENT: { message: 'is not indented correctly', remedy: 'Align it with its neighbours.' },
  MULTIPLE_DOCS: { message: 'begins a second document', remedy: 'Remove the `---`: one file holds one document.' },
  MISSING_CHAR: {
    message: 'lacks a closing or separating character',
    remedy: 'Check quotes, brackets, commas and colons.',
  },
  BAD_SCALAR_START: { message: 'begins with a reserved character', remedy: 'Put the text in quotes.' },
  BAD_DQ_ESCAPE: { message: 'holds an unknown escape', remedy: 'Use single quotes, or write the backslash twice.' },
  TAG_RESOLVE_FAILED: {
    message: 'has a tag that is not understood',
    remedy: 'Remove the `!tag`, or put the text in quotes.',
  },
  RESOURCE_EXHAUSTION: TOO_DEEP,
  BLOCK_AS_IMPLICIT_KEY: { message: 'has a second colon in one line', remedy: 'Put the text in quotes.' },
};
const BAD_ALIAS: Reason = {
  message: 'holds an alias that leads nowhere, or too far',
  remedy: 'Put a text that begins with `*` in quotes.',
};

const NOWHERE_TO_HIDE: Reason = {
  message:
    'holds characters of every part of the private-use area (U+E000 to U+F8FF), of which Millrace needs one itself',
  remedy: 'Remove some of them.',
};
const UNSTORABLE_KEY: Reason = {
  message: 'has a key with a character that Postgres cannot store',
  remedy: 'Remove that character.',
};
const NO_MERGE: Reason = {
  message: 'merges something that is not a mapping',
  remedy: 'Write `<<: *name`, where `&name` stands before a mapping.',
};

function known(path: Path, isKey: (key: string) => boolean): Path {
  const end = path.findIndex((step) => typeof step === 'string' && !isKey(step));
  return end < 0 ? path : path.slice(0, end);
}

interface Replacing {
  env: NodeJS.ProcessEnv | null;
  /** Undefined: nothing of the text is read. */
  hiding: Hiding | undefined;
}

interface Looked {
  findings: Finding[];
  warnings: Finding[];
  /** What variables put in place of plain scalars, as text. */
  texts: Map<Scalar, string>;
  duplicates: { path: Path; offset: number }[];
  /** Of the innermost thing around each offset. */
  paths: Path[];
}

/** Replaces every reference, and finds what is wrong with aliases, keys and texts: one walk. */
function look(
  nodes: DocumentNodes,
  { env, hiding, isCode, offsets }: Replacing & { isCode: (path: Path) => boolean; offsets: readonly number[] },
): Looked {
  const looked: Looked = { findings: [], warnings: [], texts: new Map(), duplicates: [], paths: [] };
  const { findings } = looked;
  const merges: { value: unknown; path: Path }[] = [];
  nodes.walk({
    scalar(node, path, use) {
      if (typeof node.value !== 'string') return;
      if (use === 'key') {
        const key = hiding?.show(node.value) ?? node.value;
        node.value = key;
        if (isUnstorable(key)) findings.push({ path: [...path], ...UNSTORABLE_KEY });
      } else replaceIn(node, looked, { env, hiding, path, options: { code: isCode(path) } });
    },
    alias(node, path) {
      if (nodes.resolved(node) === undefined) findings.push({ path: [...path], ...BAD_ALIAS });
    },
    pair(pair, path) {
      const { key, value } = pair;
      if (isMerge(pair)) merges.push({ value, path: [...path] });
      for (const [index, offset] of offsets.entries())
        if (isAround(key, offset) || isAround(value, offset)) looked.paths[index] = [...path];
    },
    duplicate({ key }, path) {
      looked.duplicates.push({ path: [...path], offset: startOf(key) ?? 0 });
    },
    tooDeep(_node, path) {
      findings.push({ path: [...path], ...TOO_DEEP });
    },
  });
  for (const { value, path } of merges) {
    const target = nodes.resolved(value);
    const all = isSeq(target) ? target.items.map((item) => nodes.resolved(item)) : [target];
    // An alias that leads nowhere was found above.
    if (all.some((one) => one !== undefined && !isMap(one))) findings.push({ path, ...NO_MERGE });
  }
  return looked;
}

function replaceIn(
  node: Scalar,
  { findings, warnings, texts }: Looked,
  { env, hiding, path: at, options }: Replacing & { path: Path; options: ReplaceOptions },
): void {
  const written = String(node.value);
  const replaced = hiding?.replace(written, env, options);
  const text = replaced?.text ?? written;
  const find = (reason: Reason): void => void findings.push({ path: [...at], ...reason });
  for (const name of replaced?.missing ?? []) {
    if (env === null) {
      const remedy =
        'Whoever sends it replaces variables first, as `bin/millrace config apply` does; `$${' +
        '` is the text `$' +
        '{`.';
      find({ message: `holds the variable ${name}, and nothing is replaced here`, remedy });
      continue;
    }
    const remedy = `Set it, or write \${${name}:-default}.`;
    find({ message: `needs the variable ${name}, which is not set`, remedy });
  }
  if (replaced?.malformed === true) {
    const remedy = 'Write `$' + '{NAME}` or `$' + '{NAME:-default}`; a second `$` before it makes it plain text.';
    find({ message: 'holds a `${` that is not a variable', remedy });
  }
  if (env !== null && options.code !== true && looksReplaced(written, env)) {
    const remedy = 'Write `$' + '{NAME}` for the value of the variable.';
    warnings.push({ path: [...at], message: 'holds `$NAME` without braces, which stays as it is', remedy });
  }
  if (isUnstorable(text)) find({ message: 'contains a character that Postgres cannot store', remedy: 'Remove it.' });
  if (replaced === undefined) return;
  const typed = replaced.whole && node.type === 'PLAIN';
  if (typed) texts.set(node, text);
  node.value = typed ? plainValue(text) : text;
}

/** `$NAME` of a variable that is set, or nothing else: other tools replace that too. */
function looksReplaced(text: string, env: NodeJS.ProcessEnv): boolean {
  if (/^\$[A-Z_][A-Z0-9_]*$/.test(text)) return true;
  return [...text.matchAll(/(?<!\$)\$([A-Za-z_][A-Za-z0-9_]*)/g)].some(([, name]) => Object.hasOwn(env, name!));
}

function isAround(node: unknown, offset: number): boolean {
  if (!isScalar(node) && !isMap(node) && !isSeq(node)) return false;
  return node.range != null && node.range[0] <= offset && offset <= node.range[2];
}

function offsetOf(nodes: DocumentNodes, path: Path, onKey: boolean): number {
  const way = nodes.along(path);
  let offset = 0;
  for (const [index, { node, key }] of way.entries()) {
    const own = startOf(node);
    if (key === undefined) {
      offset = own ?? offset;
      continue;
    }
    const keyAt = startOf(key) ?? offset;
    // A block's own start is its first entry: the key says better where it is.
    offset = (index === path.length && onKey) || isMap(node) || isSeq(node) ? keyAt : (own ?? keyAt);
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  if (isAlias(node) || isScalar(node) || isMap(node) || isSeq(node)) return node.range?.[0];
  return undefined;
}
