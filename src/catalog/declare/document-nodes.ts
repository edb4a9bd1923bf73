/**
 * The nodes of a YAML document, walked once each: where anchors lead, what stands under a key, and at which path a node
 * lies. Nothing here looks through a list for each of its members: a file of a megabyte is read in a moment, whatever is in it.
 */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import type { Path } from '../../model/finding.ts';

/** What a walk meets, in the order of the text. `path` is only true during the call. */
export interface Visitor {
  /** Keys and values. */
  scalar(node: Scalar, path: Path, use: 'key' | 'value'): void;
  alias(node: Alias, path: Path): void;
  pair(pair: Pair, path: Path): void;
  /** The same key again in one mapping. */
  duplicate(pair: Pair, path: Path): void;
  /** What lies deeper is not visited. */
  tooDeep(node: unknown, path: Path): void;
}

/** No declaration is nested like that. */
export const DEEPEST = 64;

export class DocumentNodes {
  readonly #contents: unknown;
  readonly #targets = new Map<unknown, unknown>();
  readonly #pairs = new WeakMap<YAMLMap, Map<string, Pair>>();

  constructor(document: Document.Parsed) {
    this.#contents = document.contents;
  }

  /** Visits every node. Aliases are resolved from then on. */
  walk(visitor: Visitor): void {
    const anchors = new Map<string, unknown>();
    const path: (string | number)[] = [];
    const visitKey = (key: unknown): void => {
      if (!isScalar(key)) {
        visit(key);
        return;
      }
      if (key.anchor !== undefined) anchors.set(key.anchor, key);
      visitor.scalar(key, path, 'key');
    };
    const visitPair = (pair: Pair, seen: Set<string>): void => {
      visitKey(pair.key);
      const key = keyOf(pair, (node) => this.resolved(node));
      path.push(key);
      visitor.pair(pair, path);
      if (!isMerge(pair)) {
        if (seen.has(key)) visitor.duplicate(pair, path);
        seen.add(key);
      }
      visit(pair.value);
      path.pop();
    };
    const visit = (node: unknown): void => {
      if (isAlias(node)) {
        this.#targets.set(node, anchors.get(node.source));
        visitor.alias(node, path);
        return;
      }
      if (!isScalar(node) && !isMap(node) && !isSeq(node)) return;
      if (node.anchor !== undefined) anchors.set(node.anchor, node);
      if (isScalar(node)) {
        visitor.scalar(node, path, 'value');
        return;
      }
      if (path.length >= DEEPEST) {
        visitor.tooDeep(node, path);
        return;
      }
      const seen = new Set<string>();
      for (const [index, item] of node.items.entries()) {
        if (isMap(node)) {
          visitPair(item as Pair, seen);
          continue;
        }
        path.push(index);
        if (isPair(item)) visitPair(item, new Set());
        else visit(item);
        path.pop();
      }
    };
    visit(this.#contents);
  }

  /** What an alias stands for; undefined when it leads nowhere. Any other node is itself. */
  resolved(node: unknown): unknown {
    return isAlias(node) ? this.#targets.get(node) : node;
  }

  /** The pair of a key, also from a mapping that is merged in. */
  pair(node: unknown, key: string, depth = 0): Pair | undefined {
    if (!isMap(node) || depth > DEEPEST) return undefined;
    const own = this.#pairsOf(node).get(key);
    if (own !== undefined) return own;
    for (const merged of this.merged(node)) {
      const found = this.pair(merged, key, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The mappings that `<<` merges into this one, the first one first. */
  merged(map: YAMLMap): unknown[] {
    return map.items.filter(isMerge).flatMap((pair) => {
      const value = this.resolved(pair.value);
      return isSeq(value) ? value.items.map((item) => this.resolved(item)) : [value];
    });
  }

  /** The nodes on the way to a path, each as it is written there; ends where the path leaves the document. */
  along(path: Path): { node: unknown; key?: unknown }[] {
    const way: { node: unknown; key?: unknown }[] = [{ node: this.#contents }];
    for (const step of path) {
      const at = this.resolved(way.at(-1)!.node);
      if (isSeq(at) && typeof step === 'number') {
        way.push({ node: at.items[step] });
        continue;
      }
      const pair = this.pair(at, String(step));
      if (pair === undefined) break;
      way.push({ node: pair.value, key: pair.key });
    }
    return way;
  }

  keyOf(pair: Pair): string {
    return keyOf(pair, (node) => this.resolved(node));
  }

  #pairsOf(map: YAMLMap): Map<string, Pair> {
    let pairs = this.#pairs.get(map);
    if (pairs === undefined) {
      pairs = new Map(map.items.map((pair) => [this.keyOf(pair), pair]));
      this.#pairs.set(map, pairs);
    }
    return pairs;
  }
}

/** The key as JavaScript has it; of one that is no scalar, a sign that no key of ours is. */
function keyOf(pair: Pair, resolved: (node: unknown) => unknown): string {
  const key = resolved(pair.key);
  const value: unknown = isScalar(key) ? key.value : key;
  if (value === null || value === undefined) return '';
  if (typeof value === 'symbol') return value.description ?? '';
  return typeof value === 'object' ? '?' : String(value);
}

export function isMerge({ key }: Pair): boolean {
  if (!isScalar(key)) return false;
  return typeof key.value === 'symbol' || (key.value === '<<' && key.type === 'PLAIN');
}
