/**
 * Runs inside the isolate, before any of the user's code: makes every built-in of the realm immutable, so that nothing
 * a function does to `globalThis`, `Object.prototype` and their like can reach the next message. Its text is what is
 * run: it must use nothing from outside itself.
 *
 * Two things are less than frozen, and why: own properties that ordinary code shadows on its objects (`error.name = ..`,
 * `doc.toString = ..`) become accessors whose setter writes to the object, because a frozen prototype would refuse them;
 * and `RegExp.prototype` stays as it is, because V8's fast paths end when it is touched (ten times slower). The sandbox
 * runtime compares it with what it was instead, after each call.
 */
export function freezeRealm(): void {
  // Threads, raw memory beyond the heap limit, callbacks that outlive a call, and what garbage.ts may have let in: no transform
  // needs them.
  for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'FinalizationRegistry', 'WeakRef', 'gc']) {
    Reflect.deleteProperty(globalThis, name);
  }
  const found = new Set<object>();
  const queue: unknown[] = [
    globalThis,
    // Intrinsics without a global name. An error has one accessor of its own, that is the same for all of them.
    new Error(),
    Object.getPrototypeOf(function* () {}),
    Object.getPrototypeOf(async () => {}),
    Object.getPrototypeOf(async function* () {}),
    [].values(),
    new Map().keys(),
    new Set().keys(),
    ''[Symbol.iterator](),
    'a'.matchAll(/a/g),
    [].values().map((value: unknown) => value),
    Iterator.from({ next: () => ({ done: true, value: undefined }) }),
    new Intl.Segmenter().segment(''),
    new Intl.Segmenter().segment('')[Symbol.iterator](),
  ];
  while (queue.length > 0) {
    const next = queue.pop();
    if (next === null || (typeof next !== 'object' && typeof next !== 'function')) continue;
    const object: object = next;
    if (found.has(object)) continue;
    found.add(object);
    queue.push(Object.getPrototypeOf(object));
    for (const key of Reflect.ownKeys(object)) {
      const property = Object.getOwnPropertyDescriptor(object, key);
      queue.push(property?.value, property?.get, property?.set);
    }
  }

  const shadowed = ['toString', 'toLocaleString', 'valueOf', 'toJSON', 'name', 'message', 'hasOwnProperty'];
  const allowShadowing = (prototype: object, key: string) => {
    const property = Object.getOwnPropertyDescriptor(prototype, key);
    if (property?.writable !== true || property.configurable !== true) return;
    const value: unknown = property.value;
    const accessor = {
      get: () => value,
      set(this: object, next: unknown) {
        if (this === prototype) throw new TypeError(`Cannot assign to read only property '${key}' of a built-in`);
        Object.defineProperty(this, key, { value: next, writable: true, enumerable: true, configurable: true });
      },
    };
    Object.freeze(accessor.get);
    Object.freeze(accessor.set);
    Object.defineProperty(prototype, key, {
      ...accessor,
      enumerable: property.enumerable === true,
      configurable: false,
    });
  };
  for (const object of found) {
    if (object === RegExp.prototype) continue;
    const isPrototype = object !== globalThis && typeof object === 'object' && Object.hasOwn(object, 'constructor');
    if (isPrototype) for (const key of shadowed) allowShadowing(object, key);
    // Elsewhere an accessor for `constructor` would end the fast paths of arrays and promises.
    if (object === Object.prototype || object === Error.prototype || object instanceof Error) {
      allowShadowing(object, 'constructor');
    }
    Object.freeze(object);
  }
}
