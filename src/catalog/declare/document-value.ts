/**
 * A YAML document as a plain value. An alias is the value that it stands for, not a copy of it; still, whoever reads the
 * value meets it each time, so a document whose aliases multiply beyond all measure has no value.
 */
import { isAlias, isMap, isPair, isScalar, isSeq, type Pair, type Scalar, type YAMLMap } from 'yaml';
import { numberOf } from '../../model/long-number.ts';
import { DEEPEST, type DocumentNodes, isMerge } from './document-nodes.ts';

/** Values that aliases may add to those that are written. */
const ADDED = 100_000;

interface Sized {
  value: unknown;
  /** How many values it is, with those that aliases add. */
  size: number;
}

/** Undefined when an alias leads into itself, aliases of aliases become too many, or all is nested too deeply. */
export function plainValueOf(nodes: DocumentNodes, contents: unknown): { value: unknown } | undefined {
  const reader = new Reader(nodes);
  try {
    const { value, size } = reader.read(contents, 0);
    return size > reader.written + ADDED ? undefined : { value };
  } catch (error) {
    if (error instanceof Endless) return undefined;
    throw error;
  }
}

class Endless extends Error {}

/** A number keeps its digits. One that a variable put there has no text of its own, and has been looked at. */
function scalarOf({ value, source }: Scalar): unknown {
  return typeof value === 'number' && source !== undefined && WRITTEN.test(source) ? numberOf(value, source) : value;
}

const WRITTEN = /^[-+]?[\d.]/;

class Reader {
  readonly #nodes: DocumentNodes;
  readonly #done = new Map<unknown, Sized>();
  readonly #open = new Set<unknown>();
  written = 0;

  constructor(nodes: DocumentNodes) {
    this.#nodes = nodes;
  }

  read(node: unknown, depth: number): Sized {
    const target = isAlias(node) ? this.#nodes.resolved(node) : node;
    if (isScalar(target)) return { value: scalarOf(target), size: this.#count(1) };
    if (!isMap(target) && !isSeq(target)) return { value: null, size: this.#count(1) };
    const done = this.#done.get(target);
    if (done !== undefined) return done;
    if (this.#open.has(target) || depth > DEEPEST) throw new Endless();
    this.#open.add(target);
    const sized = isMap(target) ? this.#map(target, depth) : this.#list(target.items, depth);
    this.#open.delete(target);
    this.#done.set(target, sized);
    return sized;
  }

  #count(size: number): number {
    this.written += size;
    return size;
  }

  #list(items: readonly unknown[], depth: number): Sized {
    let size = this.#count(1);
    const value = items.map((item) => {
      const read = isPair(item) ? this.#object([item], depth) : this.read(item, depth + 1);
      size += read.size;
      return read.value;
    });
    return { value, size };
  }

  #map(map: YAMLMap, depth: number): Sized {
    const own = this.#object(
      map.items.filter((pair) => !isMerge(pair)),
      depth,
    );
    for (const merged of this.#nodes.merged(map)) {
      const { value, size } = this.read(merged, depth + 1);
      own.size += size;
      if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
      for (const [key, inner] of Object.entries(value)) if (!Object.hasOwn(own.value, key)) put(own.value, key, inner);
    }
    return own;
  }

  #object(pairs: readonly Pair[], depth: number): { value: object; size: number } {
    const value = {};
    let size = this.#count(1);
    for (const pair of pairs) {
      const read = this.read(pair.value, depth + 1);
      size += read.size;
      put(value, this.#nodes.keyOf(pair), read.value);
    }
    return { value, size };
  }
}

/** Also a key such as `__proto__`. */
function put(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
