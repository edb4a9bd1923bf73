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

/** Different questions whose answers are remembered at a time. */
const MOST = 50;

/** The same for each of several questions; `keyOf` tells them apart. */
export function rememberedBy<Question, Answer>(
  read: (question: Question) => Promise<Answer>,
  { keyOf, keepMs }: { keyOf: (question: Question) => unknown; keepMs: number },
): (question: Question) => Promise<Answer> {
  const asked = new Map<unknown, () => Promise<Answer>>();
  return async (question) => {
    const key = keyOf(question);
    const answer = asked.get(key) ?? remembered(() => read(question), { keepMs });
    asked.delete(key);
    asked.set(key, answer);
    for (const [oldest] of asked) {
      if (asked.size <= MOST) break;
      asked.delete(oldest);
    }
    return await answer();
  };
}
