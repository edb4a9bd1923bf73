/**
 * How far something is, on a terminal: a few lines that are drawn again in place; where the output is no terminal, the same
 * lines printed now and then, so that a log stays readable. What `say` prints stays. Lines are cut at the terminal's width,
 * and hold no line break: a wrapped one could not be drawn over.
 */
import { printable } from '../model/printable.ts';

export interface Terminal {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export interface Screen {
  /** The state of things now; takes the place of what was shown before. */
  show(lines: readonly string[]): void;
  /** A line that stays, above what is shown. */
  say(line: string): void;
  /** What was shown last stays; the next lines come after it. */
  end(): void;
}

/** For whoever wants results alone. */
export const NO_SCREEN: Screen = { show: () => undefined, say: () => undefined, end: () => undefined };

/** Between two prints where nothing can be drawn over. */
const PRINT_MS = 3_000;
const WIDTH = 100;

/** `now`: milliseconds. */
export function openScreen(out: Terminal, now: () => number): Screen {
  return out.isTTY === true ? drawn(out) : printed(out, now);
}

function drawn(out: Terminal): Screen {
  let shown: readonly string[] = [];
  const wipe = (): string => (shown.length === 0 ? '' : `\u001b[${shown.length}A\r\u001b[J`);
  const draw = (lines: readonly string[]): string => {
    // Some terminals report 0 columns, which means that they do not know.
    const width = out.columns ? Math.max(1, out.columns - 1) : WIDTH;
    return lines.map((line) => `${fitting(line, width)}\n`).join('');
  };
  return {
    show(lines) {
      if (lines.length === shown.length && lines.every((line, n) => line === shown[n])) return;
      out.write(wipe() + draw(lines));
      shown = [...lines];
    },
    say(line) {
      out.write(`${wipe()}${printable(line)}\n${draw(shown)}`);
    },
    end() {
      shown = [];
    },
  };
}

/** The beginning of a line that takes at most `width` columns. */
function fitting(line: string, width: number): string {
  let end = 0;
  let taken = 0;
  const text = line.replaceAll(/\p{Cc}+/gu, ' ');
  for (const char of text) {
    taken += WIDE.test(char) ? 2 : 1;
    if (taken > width) break;
    end += char.length;
  }
  return text.slice(0, end);
}

/** Characters that take two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{10000}-\u{10ffff}]/u;

function printed(out: Terminal, now: () => number): Screen {
  let last = '';
  let at = Number.NEGATIVE_INFINITY;
  return {
    show(lines) {
      const text = lines.map((line) => `${line}\n`).join('');
      if (text === last || now() - at < PRINT_MS) return;
      last = text;
      at = now();
      out.write(text);
    },
    say: (line) => void out.write(`${line}\n`),
    end: () => undefined,
  };
}
