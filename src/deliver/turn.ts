/** Whose turn it is, of the lanes that have to go message by message. */

/** Lets one lane at a time go message by message. */
export interface Turn {
  /** Ends it, however often it is called; undefined: another lane has it. */
  take(): (() => void) | undefined;
}

export function createTurn(): Turn {
  let isTaken = false;
  return {
    take() {
      if (isTaken) return undefined;
      isTaken = true;
      let isMine = true;
      return () => {
        if (isMine) isTaken = false;
        isMine = false;
      };
    },
  };
}
