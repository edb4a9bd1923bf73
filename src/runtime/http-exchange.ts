/**
 * One request by undici's dispatcher, from its start to the end of its answer. By hand, for undici's `request` makes a stream of each
 * answer, and listens to a signal for each request: that cost a webhook a quarter of its time.
 * Guarantees: it is settled once, at its deadline or its caller's signal at the latest; no more of an answer is kept than is wanted.
 */
import { AnswerTooLarge, largestAnswer } from './answer-text.ts';

export interface Answered {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Of a success whose text is not wanted: empty. */
  body: Buffer;
}

export interface ExchangeOptions {
  /** False: of a 2xx only the status counts. */
  wantsText: boolean;
  /** Until it is over. */
  totalMs: number;
  signal: AbortSignal;
}

interface Controller {
  abort(reason: Error): void;
}

interface Told {
  resolve(answered: Answered): void;
  reject(error: unknown): void;
}

/** Of a success whose text nobody wants: so much is read to keep the connection. */
const UNREAD_BYTES = 64 * 1024;

/** `dispatch` sends the request. Rejects with what the connection, the deadline or the signal says, and with AnswerTooLarge. */
export function exchange(dispatch: (handler: Exchange) => void, options: ExchangeOptions): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const handler = new Exchange(options, { resolve, reject });
    if (!handler.isOver) dispatch(handler);
  });
}

/** What undici tells of it. */
export class Exchange {
  readonly #wantsText: boolean;
  readonly #told: Told;
  readonly #timer: NodeJS.Timeout;
  readonly #together: Set<Exchange>;
  isOver = false;
  #reason: Error | undefined;
  #controller: Controller | undefined;
  #status = 0;
  #headers: Answered['headers'] = {};
  #isWanted = true;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor({ wantsText, totalMs, signal }: ExchangeOptions, told: Told) {
    this.#wantsText = wantsText;
    this.#told = told;
    this.#together = endingWith(signal);
    this.#together.add(this);
    this.#timer = setTimeout(() => this.end(new Error(`no complete answer within ${totalMs} ms`)), totalMs);
    if (signal.aborted) this.end(reasonOf(signal));
  }

  /** Nothing of it goes out any more. */
  end(reason: Error): void {
    if (!this.#over()) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    // The status says all of a success whose text is not wanted.
    if (this.#status > 0 && !this.#isWanted) this.#answer();
    else this.#told.reject(reason);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#reason) controller.abort(this.#reason);
  }

  onResponseStart(_: Controller, status: number, headers: Answered['headers']): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    this.#isWanted = this.#wantsText || status >= 300;
  }

  onResponseData(controller: Controller, piece: Buffer): void {
    if (this.isOver) return;
    this.#bytes += piece.length;
    const isSuccess = this.#status === 200;
    const most = this.#isWanted ? largestAnswer(isSuccess) : UNREAD_BYTES;
    if (this.#isWanted) this.#pieces.push(piece);
    if (this.#bytes <= most || !this.#over()) return;
    const tooLarge = new AnswerTooLarge(`an answer of more than ${most} bytes`);
    if (this.#isWanted && isSuccess) this.#told.reject(tooLarge);
    else this.#answer();
    controller.abort(tooLarge);
  }

  onResponseEnd(): void {
    if (this.#over()) this.#answer();
  }

  onResponseError(_: Controller, error: Error): void {
    if (!this.#over()) return;
    if (this.#status > 0 && !this.#isWanted) this.#answer();
    else this.#told.reject(error);
  }

  /** False: it was over before. */
  #over(): boolean {
    if (this.isOver) return false;
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#together.delete(this);
    return true;
  }

  #answer(): void {
    this.#told.resolve({ status: this.#status, headers: this.#headers, body: Buffer.concat(this.#pieces) });
  }
}

const bySignal = new WeakMap<AbortSignal, Set<Exchange>>();

/** Those that end with the signal, which is listened to once for all of them. */
function endingWith(signal: AbortSignal): Set<Exchange> {
  const known = bySignal.get(signal);
  if (known !== undefined) return known;
  const exchanges = new Set<Exchange>();
  bySignal.set(signal, exchanges);
  const endAll = (): void => {
    for (const each of [...exchanges]) each.end(reasonOf(signal));
  };
  signal.addEventListener('abort', endAll, { once: true });
  return exchanges;
}

const reasonOf = ({ reason }: AbortSignal): Error => (reason instanceof Error ? reason : new Error('aborted'));
