/**
 * What a worker's job says of why it failed. The destination's own words, which may quote a document, stand behind a colon: `index p
 * cannot be read: ...`.
 */
export function wordsApart(reason: string): { said: string; words: string | null } {
  const at = reason.indexOf(': ');
  return at < 0 ? { said: reason, words: null } : { said: reason.slice(0, at), words: reason.slice(at + 2) };
}

/** Of a step that is over, without them: `products: the verification failed: ...`. */
export const stepWithoutWords = (text: string): string => text.replace(/( failed): .*$/s, '$1');
