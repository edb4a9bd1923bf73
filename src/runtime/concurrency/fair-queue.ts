/** Lets owners of waiting jobs take turns, each with only a few jobs out, so that a slow one delays only its own. */
export class FairQueue<Job extends { readonly owner: string }> {
  readonly #waiting = new Map<string, Job[]>();
  readonly #out = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(job: Job): void {
    const jobs = this.#waiting.get(job.owner);
    if (jobs === undefined) this.#waiting.set(job.owner, [job]);
    else jobs.push(job);
  }

  /** Takes a job back in front of its owner's others: it was out and is to go out again. */
  putBack(job: Job): void {
    this.release(job);
    this.#waiting.set(job.owner, [job, ...(this.#waiting.get(job.owner) ?? [])]);
  }

  /** The next job of the owner whose turn it is, if that has fewer than `perOwner` out; it counts as out until it is released. */
  take(perOwner: number): Job | undefined {
    for (const [owner, jobs] of this.#waiting) {
      const out = this.#out.get(owner) ?? 0;
      if (out >= perOwner) continue;
      const job = jobs.shift()!;
      this.#waiting.delete(owner);
      if (jobs.length > 0) this.#waiting.set(owner, jobs);
      this.#out.set(owner, out + 1);
      return job;
    }
    return undefined;
  }

  release(job: Job): void {
    const out = (this.#out.get(job.owner) ?? 0) - 1;
    if (out > 0) this.#out.set(job.owner, out);
    else this.#out.delete(job.owner);
  }

  clear(): Job[] {
    const jobs = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return jobs;
  }
}
