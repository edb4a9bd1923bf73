/**
 * The text without the characters `mark` at its end. What `replace(/x+$/, '')` does, which begins anew at every mark inside
 * the text, and so takes hours for a text of a megabyte of them.
 */
export function withoutTrailing(text: string, mark: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === mark) end -= 1;
  return text.slice(0, end);
}
