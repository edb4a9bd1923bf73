/** Transactions of the source that brought something new, counted when their commits come. */
export class CommitCount {
  #count = 0;
  #hasNew = false;

  begin(): void {
    this.#hasNew = false;
  }

  /** It has a change that was not persisted before. */
  change(): void {
    this.#hasNew = true;
  }

  commit(): void {
    if (this.#hasNew) this.#count += 1;
  }

  /** Has those written down that came since the last time; if that fails, they are among the next ones. */
  async note(write: (count: number) => Promise<void>): Promise<void> {
    const count = this.#count;
    await write(count);
    this.#count -= count;
  }
}
