/**
 * The jobs that wait for the box, one lane for each function. Lanes take turns and each has only a few jobs out, so that a
 * slow function delays only its own.
 */
export interface LaneJob {
  readonly lane: string;
}

export class Lanes<Job extends LaneJob> {
  readonly #waiting = new Map<string, Job[]>();
  readonly #out = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#waiting.size === 0;
  }

  add(job: Job): void {
    const jobs = this.#waiting.get(job.lane);
    if (jobs === undefined) this.#waiting.set(job.lane, [job]);
    else jobs.push(job);
  }

  /** Takes a job back in front of its lane: it was out and is to go out again. */
  putBack(job: Job): void {
    this.release(job);
    this.#waiting.set(job.lane, [job, ...(this.#waiting.get(job.lane) ?? [])]);
  }

  /** The next job of the lane whose turn it is, if it has fewer than `perLane` out; it counts as out until it is released. */
  take(perLane: number): Job | undefined {
    for (const [name, jobs] of this.#waiting) {
      const out = this.#out.get(name) ?? 0;
      if (out >= perLane) continue;
      const job = jobs.shift()!;
      this.#waiting.delete(name);
      if (jobs.length > 0) this.#waiting.set(name, jobs);
      this.#out.set(name, out + 1);
      return job;
    }
    return undefined;
  }

  release(job: Job): void {
    const out = (this.#out.get(job.lane) ?? 0) - 1;
    if (out > 0) this.#out.set(job.lane, out);
    else this.#out.delete(job.lane);
  }

  clear(): Job[] {
    const jobs = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    return jobs;
  }
}
