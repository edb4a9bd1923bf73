/** How long each stage of a piece of work takes. What fails on the way is not counted. */

/** Who counts; `ms` may be a fraction. */
export interface Stages<Stage extends string> {
  took(stage: Stage, ms: number): void;
}

export interface Watch<Stage extends string> {
  /** The time since the last lap, or the beginning, was of this stage; undefined: of none that counts. */
  lap(stage?: Stage): void;
}

/** Begins now. */
export function startWatch<Stage extends string>(stages: Stages<Stage> | undefined): Watch<Stage> {
  let since = performance.now();
  return {
    lap(stage) {
      const now = performance.now();
      if (stage !== undefined) stages?.took(stage, now - since);
      since = now;
    },
  };
}
