/**
 * Numbers functions by their sink and their content: a function crosses to the process once, an edited one is another one, and
 * one that two sinks use is two, so that messages of different sinks never share an isolate.
 */
import { createHash } from 'node:crypto';
import type { FunctionSettings } from '../model/declared.ts';

export class FunctionKeys {
  readonly #digests = new WeakMap<FunctionSettings, string>();
  readonly #numbers = new Map<string, number>();

  keyOf(fn: FunctionSettings, sinkNo: number): number {
    const digest = this.#digests.get(fn) ?? digestOf(fn);
    this.#digests.set(fn, digest);
    const name = `${sinkNo} ${digest}`;
    const key = this.#numbers.get(name) ?? this.#numbers.size + 1;
    this.#numbers.set(name, key);
    return key;
  }
}

function digestOf({ name, type, sink_type, code, path }: FunctionSettings): string {
  return createHash('sha256')
    .update(JSON.stringify([name, type, sink_type, code, path]))
    .digest('base64');
}
