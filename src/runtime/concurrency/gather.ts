/**
 * Many ask, one call answers: while one is under way, whoever comes gathers, and then they go together, in the order of their
 * coming. Nobody waits for others to come. Who asks for so much that a shared call would save nothing goes at once, alone.
 */

/** Asks, and waits for the answer. */
export type Gather<Input, Output> = (input: Input) => Promise<Output>;

export interface Asked<Input, Output> {
  readonly input: Input;
  resolve(output: Output): void;
  reject(error: unknown): void;
  /** It gets a call of its own, beside all others. */
  retryAlone(): void;
}

export interface GatherOptions<Input, Output> {
  /** Runs a call when there is room for it; whoever comes until then goes along. */
  turn(first: Input, call: () => Promise<void>): Promise<void>;
  /** Whether it has a call of its own from the beginning. */
  alone(input: Input): boolean;
  /** How many of the first of these go together. */
  fit(inputs: readonly Input[]): number;
  /** Whether a second shared call may begin beside the one under way, for these. */
  beside(inputs: readonly Input[]): boolean;
  /** Answers each. Whom it leaves without an answer is first in the next shared call; what it throws, they hear. */
  run(asked: readonly Asked<Input, Output>[]): Promise<void>;
}

interface Entry<Input, Output> extends Asked<Input, Output> {
  state: 'waits' | 'alone' | 'answered';
}

export function createGather<Input, Output>(options: GatherOptions<Input, Output>): Gather<Input, Output> {
  const queue: Entry<Input, Output>[] = [];
  const inputs = (): Input[] => queue.map(({ input }) => input);
  let calls = 0;
  /** A call that has not taken anybody along yet. */
  let waiting = false;

  const call = async (first: Input): Promise<void> => {
    let taken: Entry<Input, Output>[] = [];
    try {
      await options.turn(first, async () => {
        waiting = false;
        taken = queue.splice(0, Math.max(1, options.fit(inputs())));
        start();
        await options.run(taken);
      });
    } catch (error) {
      for (const each of taken) each.reject(error);
    }
    calls -= 1;
    queue.unshift(...taken.filter(({ state }) => state === 'waits'));
    start();
  };
  const start = (): void => {
    const first = queue[0];
    if (first === undefined || waiting || calls > 1 || (calls === 1 && !options.beside(inputs()))) return;
    waiting = true;
    calls += 1;
    void call(first.input);
  };

  const callAlone = async (entry: Entry<Input, Output>): Promise<void> => {
    entry.state = 'alone';
    await options.turn(entry.input, () => options.run([entry])).catch(entry.reject);
    if (entry.state !== 'alone') return;
    entry.state = 'waits';
    queue.unshift(entry);
    start();
  };

  return (input) => {
    const { promise, resolve, reject } = Promise.withResolvers<Output>();
    const entry: Entry<Input, Output> = {
      input,
      state: 'waits',
      resolve(output) {
        entry.state = 'answered';
        resolve(output);
      },
      reject(error) {
        entry.state = 'answered';
        reject(error);
      },
      retryAlone() {
        void callAlone(entry);
      },
    };
    if (options.alone(input)) {
      entry.retryAlone();
    } else {
      queue.push(entry);
      start();
    }
    return promise;
  };
}
