/** The same answer for a while, and one question at a time, however many ask. A failure is kept for a second at most. */
export function remembered<Answer>(
  read: () => Promise<Answer>,
  options: { keepMs: number; now?: (() => number) | undefined },
): () => Promise<Answer> {
  const now = options.now ?? (() => performance.now());
  let answer: Promise<Answer> | undefined;
  let until = 0;
  const keep = (ms: number) => (): void => {
    until = now() + ms;
  };
  return () => {
    if (answer === undefined || now() >= until) {
      until = Number.POSITIVE_INFINITY;
      answer = read();
      answer.then(keep(options.keepMs), keep(Math.min(options.keepMs, 1_000)));
    }
    return answer;
  };
}
