/**
 * Watches `RegExp.prototype`, the one built-in that is not frozen (freeze.ts says why), and what the last match left behind.
 * Runs inside the isolate: its text is what is run, and uses nothing from outside.
 */
export interface RegExpGuard {
  untouched(): boolean;
  forgetMatch(): void;
}

export function guardRegExp(): RegExpGuard {
  const { getPrototypeOf, isExtensible } = Object;
  const { ownKeys, getOwnPropertyDescriptor, apply } = Reflect;
  const regExp = RegExp.prototype;
  const shape = ownKeys(regExp).map((key) => ({ key, ...getOwnPropertyDescriptor(regExp, key) }));
  const exec = regExp.exec;
  const nineGroups = /()()()()()()()()()/;

  /** Is it as it was? */
  function untouched(): boolean {
    if (ownKeys(regExp).length !== shape.length || getPrototypeOf(regExp) !== Object.prototype) return false;
    if (!isExtensible(regExp)) return false;
    for (const was of shape) {
      const is = getOwnPropertyDescriptor(regExp, was.key);
      if (is === undefined || is.value !== was.value || is.get !== was.get || is.set !== was.set) return false;
      if (is.configurable !== was.configurable || is.enumerable !== was.enumerable) return false;
      if (is.writable !== was.writable) return false;
    }
    return true;
  }

  /** `RegExp.input`, `lastMatch`, `$1` to `$9` and the rest tell of the last match: of an empty text, with empty groups. */
  function forgetMatch(): void {
    apply(exec, nineGroups, ['']);
  }

  return { untouched, forgetMatch };
}
