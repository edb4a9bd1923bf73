/**
 * The one door to `yaml`: a text becomes a value, and every place in it keeps its line and column. Messages are ours,
 * because the library's quote the text, where a secret may stand. A document with faults still yields what could be
 * read, so that all faults are reported together.
 */
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  Scalar,
  visit,
} from 'yaml';
import type { Finding, Path } from './finding.ts';
import { hideReferences, plainValue, type ReplaceOptions, replaceReferences, showReferences } from './variables.ts';

export interface Place {
  line: number;
  column: number;
}

export interface ReadDocument {
  /** The value; undefined when the text is not YAML at all. */
  value(): unknown;
  findings: Finding[];
  /** Faults without a path of their own: `place` says where they are. */
  syntax: (Finding & { place: Place })[];
  /** Line and column, from 1, of the value at the path or of the nearest thing around it. */
  locate(path: Path, onKey?: boolean): Place;
  /** Takes what a variable put at the path as text. False when there is no such thing. */
  takeAsText(path: Path): boolean;
}

/**
 * `isCode`: does the path lead to JavaScript, where `${NAME}` is not ours? `isKey`: is it a key that anybody may see? In
 * a broken text what looks like a key may be part of a secret.
 */
export function readDocument(
  text: string,
  env: NodeJS.ProcessEnv,
  options: { isCode: (path: Path) => boolean; isKey: (key: string) => boolean },
): ReadDocument {
  const counter = new LineCounter();
  const document = parseDocument(hideReferences(text), {
    lineCounter: counter,
    logLevel: 'error',
    merge: true,
    prettyErrors: false,
    uniqueKeys: true,
  });
  const placeOf = (offset: number): Place => {
    const { line, col } = counter.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const syntax = [...document.errors, ...document.warnings].map((error) => ({
    path: known(pathAt(document, error.pos[0]), options.isKey),
    ...(SYNTAX[error.code] ?? NOT_YAML),
    place: placeOf(error.pos[0]),
  }));
  const onlyDuplicates = document.errors.every((error) => error.code === 'DUPLICATE_KEY');
  const texts = new Map<Scalar, string>();
  const findings = onlyDuplicates ? replaceAll(document, { env, texts, isCode: options.isCode }) : [];
  return {
    findings,
    syntax,
    value: () => {
      const plain = onlyDuplicates ? plainOf(document) : undefined;
      if (onlyDuplicates && plain === undefined) syntax.push({ path: [], ...BAD_ALIAS, place: { line: 1, column: 1 } });
      return plain?.value;
    },
    locate: (path, onKey) => placeOf(offsetOf(document, path, onKey === true)),
    takeAsText: (path) => {
      const node = nodeAt(document, path);
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

const NOT_YAML: Reason = { message: 'is not valid YAML here', remedy: 'Check indentation, quotes and brackets.' };
const SYNTAX: Record<string, Reason> = {
  DUPLICATE_KEY: { message: 'stands here twice', remedy: 'Remove one of the two keys.' },
  TAB_AS_INDENT: { message: 'is indented with a tab', remedy: 'Indent with spaces.' },
  BAD_INDENT: { message: 'is not indented as YAML wants it', remedy: 'Align it with its neighbours.' },
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
  BLOCK_AS_IMPLICIT_KEY: { message: 'has a second colon in one line', remedy: 'Put the text in quotes.' },
};
const BAD_ALIAS: Reason = {
  message: 'holds an alias that leads nowhere, or too far',
  remedy: 'Put a text that begins with `*` in quotes.',
};

function plainOf(document: Document.Parsed): { value: unknown } | undefined {
  try {
    return { value: document.toJS({ maxAliasCount: 1000 }) };
  } catch {
    // Too many aliases of aliases.
    return undefined;
  }
}

function known(path: Path, isKey: (key: string) => boolean): Path {
  const end = path.findIndex((step) => typeof step === 'string' && !isKey(step));
  return end < 0 ? path : path.slice(0, end);
}

interface Replacing {
  env: NodeJS.ProcessEnv;
  texts: Map<Scalar, string>;
  isCode: (path: Path) => boolean;
}

function replaceAll(document: Document.Parsed, { env, texts, isCode }: Replacing): Finding[] {
  const findings: Finding[] = [];
  visit(document, {
    Alias: (key, node, ancestors) => {
      if (node.resolve(document) !== undefined) return undefined;
      findings.push({ path: pathOf(ancestors, key), ...BAD_ALIAS });
      const hole = new Scalar<unknown>(null);
      hole.range = node.range ?? null;
      return hole;
    },
    Scalar: (key, node, ancestors) => {
      if (typeof node.value !== 'string') return;
      const path = pathOf(ancestors, key);
      if (key === 'key') {
        node.value = showReferences(node.value);
        return;
      }
      const options: ReplaceOptions = { code: isCode(path) };
      const replaced = replaceReferences(node.value, env, options);
      const text = replaced?.text ?? node.value;
      for (const name of replaced?.missing ?? []) {
        const remedy = `Set it, or write \${${name}:-default}.`;
        findings.push({ path, message: `needs the variable ${name}, which is not set`, remedy });
      }
      if (replaced?.malformed === true) {
        const remedy = 'Write `$' + '{NAME}` or `$' + '{NAME:-default}`; a second `$` before it makes it plain text.';
        findings.push({ path, message: 'holds a `${` that is not a variable', remedy });
      }
      if (text.includes('\0') || !text.isWellFormed()) {
        findings.push({ path, message: 'holds a character that Postgres does not store', remedy: 'Remove it.' });
      }
      if (replaced === undefined) return;
      const typed = replaced.whole && node.type === 'PLAIN';
      if (typed) texts.set(node, text);
      node.value = typed ? plainValue(text) : text;
    },
  });
  return findings;
}

/** The path of a node from its ancestors, as `visit` gives them. */
function pathOf(ancestors: readonly unknown[], key: unknown): Path {
  const path: (string | number)[] = [];
  const chain = [...ancestors];
  chain.forEach((ancestor, index) => {
    if (isPair(ancestor)) path.push(keyOf(ancestor));
    else if (isSeq(ancestor)) {
      const child: unknown = chain[index + 1];
      const at = child === undefined ? key : ancestor.items.indexOf(child);
      if (typeof at === 'number' && at >= 0) path.push(at);
    }
  });
  return path;
}

function keyOf(pair: Pair): string {
  const key = isScalar(pair.key) ? pair.key.value : pair.key;
  return typeof key === 'string' ? key : String(key);
}

/** The path of the innermost thing around an offset. */
function pathAt(document: Document.Parsed, offset: number): Path {
  let best: Path = [];
  const around = (node: unknown): boolean => {
    if (!isScalar(node) && !isMap(node) && !isSeq(node)) return false;
    return node.range != null && node.range[0] <= offset && offset <= node.range[2];
  };
  visit(document, {
    Pair: (_key, pair, ancestors) => {
      if (around(pair.key) || around(pair.value)) best = pathOf([...ancestors, pair], 'value');
    },
  });
  return best;
}

function resolved(document: Document.Parsed, node: unknown): unknown {
  return isAlias(node) ? node.resolve(document) : node;
}

function pairIn(document: Document.Parsed, node: unknown, step: string | number): Pair | undefined {
  if (!isMap(node)) return undefined;
  const own = node.items.findLast((pair) => keyOf(pair) === String(step));
  if (own !== undefined) return own;
  const merged = node.items.find((pair) => keyOf(pair) === '<<');
  return merged === undefined ? undefined : pairIn(document, resolved(document, merged.value), step);
}

function nodeAt(document: Document.Parsed, path: Path): unknown {
  let node: unknown = document.contents;
  for (const step of path) {
    node = resolved(document, node);
    node = isSeq(node) && typeof step === 'number' ? node.items[step] : pairIn(document, node, step)?.value;
  }
  return resolved(document, node);
}

function offsetOf(document: Document.Parsed, path: Path, onKey: boolean): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  for (const [index, step] of path.entries()) {
    node = resolved(document, node);
    if (isSeq(node) && typeof step === 'number') node = node.items[step];
    else {
      const pair = pairIn(document, node, step);
      if (pair === undefined) return offset;
      const key = startOf(pair.key) ?? offset;
      const last = index === path.length - 1;
      // A block's own start is its first entry: the key says better where it is.
      node = pair.value;
      offset = (last && onKey) || isMap(node) || isSeq(node) ? key : (startOf(node) ?? key);
      continue;
    }
    offset = startOf(node) ?? offset;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  if (isAlias(node) || isScalar(node) || isMap(node) || isSeq(node)) return node.range?.[0];
  return undefined;
}
