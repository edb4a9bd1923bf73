/** How old an answer may be, in milliseconds. 0: it is asked for anew, and no question that is under way will do. */
export interface Accepting {
  acceptMs: number;
}

/** A failure is kept no longer. */
const FAILED_MS = 1_000;

interface Kept<Answer> {
  answer: Promise<Answer>;
  /** When it came; infinity: it is still under way. */
  cameAt: number;
  isFailure: boolean;
}

/**
 * The same answer for a while, and one question at a time, however many ask; but who accepts no old answer has one of its own, which
 * the others are then given. A failure is kept for a second at most.
 */
export function remembered<Answer>(
  read: () => Promise<Answer>,
  options: { keepMs: number; now?: (() => number) | undefined },
): (accepting?: Accepting) => Promise<Answer> {
  const now = options.now ?? (() => performance.now());
  let last: Kept<Answer> | undefined;
  const ask = (): Promise<Answer> => {
    const kept: Kept<Answer> = { answer: read(), cameAt: Number.POSITIVE_INFINITY, isFailure: false };
    const came = (isFailure: boolean) => (): void => void Object.assign(kept, { cameAt: now(), isFailure });
    kept.answer.then(came(false), came(true));
    last = kept;
    return kept.answer;
  };
  return (accepting) => {
    if (last === undefined || accepting?.acceptMs === 0) return ask();
    const acceptMs = accepting?.acceptMs ?? options.keepMs;
    const isOld = now() - last.cameAt >= (last.isFailure ? Math.min(acceptMs, FAILED_MS) : acceptMs);
    return isOld ? ask() : last.answer;
  };
}

/** Different questions whose answers are remembered at a time. */
const MOST = 50;

export interface RememberedBy<Question, Answer> {
  /** Tells questions apart. */
  keyOf(question: Question): unknown;
  keepMs: number;
  /** Questions at a time; 50. */
  most?: number;
  /** Is it worth its memory? Absent: each is. */
  isKept?(answer: Answer): boolean;
}

/** The same for each of several questions. */
export function rememberedBy<Question, Answer>(
  read: (question: Question) => Promise<Answer>,
  { keyOf, keepMs, most = MOST, isKept = () => true }: RememberedBy<Question, Answer>,
): (question: Question, accepting?: Accepting) => Promise<Answer> {
  const asked = new Map<unknown, (accepting?: Accepting) => Promise<Answer>>();
  return async (question, accepting) => {
    const key = keyOf(question);
    const ask = asked.get(key) ?? remembered(() => read(question), { keepMs });
    asked.delete(key);
    asked.set(key, ask);
    for (const [oldest] of asked) {
      if (asked.size <= most) break;
      asked.delete(oldest);
    }
    const answer = await ask(accepting);
    if (!isKept(answer) && asked.get(key) === ask) asked.delete(key);
    return answer;
  };
}
