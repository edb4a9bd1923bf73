/**
 * Texts that others wrote (a destination's answer, an error, a message) on a person's terminal, which must obey nothing in
 * them: control characters, those of C1 too, become dots. Line ends and tabs stay. A file or a program gets the text itself.
 */
export const printable = (text: string): string => text.replaceAll('\r\n', '\n').replaceAll(/[^\P{Cc}\n\t]/gu, '·');

/** The same on one line. */
export const printableLine = (text: string): string => text.replaceAll(/\p{Cc}/gu, '·');

export const printableOn = ({ isTTY }: { isTTY?: boolean }, text: string): string => (isTTY ? printable(text) : text);
