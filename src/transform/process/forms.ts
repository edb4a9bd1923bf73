/**
 * The ways to write one function, each as a script whose value is a parameterless function that evaluates the user's
 * text anew: `export default ...`, a declaration called after the function's purpose, an expression. The user's text
 * starts on a line of its own, so that with a line offset of -1 lines and columns are the user's. Which form it is, is
 * found by trying: only a script that compiles and yields a function is taken.
 */
import type { FunctionType } from '../../model/declared.ts';

const NAMES: Record<FunctionType, readonly string[]> = {
  transform: ['transform'],
  routing: ['routing', 'route', 'transform'],
  filter: ['filter', 'transform'],
  path: [],
};

/** Each costs a compilation, and nobody writes more of them into comments and strings. */
const MOST_EXPORTS = 16;

export function forms(code: string, type: FunctionType): string[] {
  const exports = code
    .matchAll(/\bexport\s+default\b/g)
    .take(MOST_EXPORTS)
    .toArray();
  if (exports.length > 0) {
    // An `export default` inside a comment or string leaves the real one in place, which then does not compile.
    return exports.map((match) => {
      const before = code.slice(0, match.index);
      const words = match[0].replace('export', 'var   ').replace('default', '$f    =');
      return script('', `${before}${words}${code.slice(match.index + match[0].length)}`, '$f');
    });
  }
  const named = NAMES[type].map((name) => `typeof ${name} === 'function' ? ${name} : `).join('');
  return [script('', code, `${named}undefined`), script('const $f =', code, '$f')];
}

function script(prefix: string, code: string, result: string): string {
  return `(() => { 'use strict'; ${prefix}\n${code}\n; return ${result}; })`;
}
