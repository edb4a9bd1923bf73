/**
 * What texts from outside cost, by their length: a time per kilobyte that stays the same says that nothing looks at a text
 * again for each of its characters. Needs no server.
 */
import { median } from './figures.ts';
import { HOSTILE } from './hostile-texts.ts';

export const TEXT_KILOBYTES = [16, 128, 1024] as const;
/** A round that took longer is not tried with a longer text. */
const LONGEST_MS = 60_000;

export interface TextCost {
  what: string;
  /** Microseconds a kilobyte, for each of TEXT_KILOBYTES; undefined: not tried any more. */
  costs: (number | undefined)[];
}

/** `rounds`: of each text and length. */
export function texts({ rounds }: { rounds: number }): TextCost[] {
  return HOSTILE.map(({ what, text, read }) => {
    let given = false;
    read(text(1024));
    const costs = TEXT_KILOBYTES.map((kilobytes) => {
      if (given) return undefined;
      const long = text(kilobytes * 1024);
      const taken = Array.from({ length: rounds }, () => {
        const begun = performance.now();
        read(long);
        return performance.now() - begun;
      });
      given = Math.max(...taken) > LONGEST_MS;
      return (median(taken) * 1000) / kilobytes;
    });
    return { what, costs };
  });
}
