/**
 * Why a function has no usable answer for one message. `killed`: the message ended the sandbox process twice. `untried`:
 * not run, because the messages before it did; it is not at fault. The message
 * text holds what the user's own code threw, at most 500 characters, and no other value of the row. `line` and `column`
 * start at 1 and are those of the user's text.
 */
export interface ShapeError {
  kind: 'threw' | 'timeout' | 'killed' | 'untried' | 'bad_output';
  message: string;
  line?: number;
  column?: number;
  /** Name of the function. */
  function: string;
}
