/** Numbers functions by their content, so that a function crosses to the box once and an edited one is another one. */
import { createHash } from 'node:crypto';
import type { FunctionSettings } from '../model/declared.ts';

export class FunctionKeys {
  readonly #byObject = new WeakMap<FunctionSettings, number>();
  readonly #byContent = new Map<string, number>();

  keyOf(fn: FunctionSettings): number {
    const known = this.#byObject.get(fn);
    if (known !== undefined) return known;
    const { name, type, sink_type, code, path } = fn;
    const content = createHash('sha256')
      .update(JSON.stringify([name, type, sink_type, code, path]))
      .digest('base64');
    const key = this.#byContent.get(content) ?? this.#byContent.size + 1;
    this.#byContent.set(content, key);
    this.#byObject.set(fn, key);
    return key;
  }
}
