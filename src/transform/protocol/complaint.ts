/** Reads what the sandbox runtime says about a throw: the sentence, at most 500 characters, and the place in the user's text. */
import { outsideText } from '../../model/outside-text.ts';
import type { ShapeError } from './shape-error.ts';

/** A ShapeError without the function's name; `thrown` is the name of the error when the user's code threw it. */
export type Complaint = Omit<ShapeError, 'function'> & { thrown?: string };

export function shapeError(complaint: Complaint, functionName: string): ShapeError {
  const { thrown: _thrown, ...rest } = complaint;
  return { ...rest, function: functionName };
}

/** What the user's code or its text made of an error, fit to be kept. */
export const sentence = (text: string): string => outsideText(text, { max: 500 });

/** `json` is what follows the `e` in a line of the sandbox runtime. */
export function readComplaint(json: string): Complaint {
  const [name, text, stack] = JSON.parse(json) as [string, string, string];
  const message = [name, text].filter((part) => part !== '').join(': ') || 'The function threw without a message';
  const place = /^ {4}at .*?user-function:(\d+):(\d+)\)?$/m.exec(stack);
  return {
    kind: 'threw',
    thrown: name,
    message: sentence(message),
    ...(place !== null && { line: Number(place[1]), column: Number(place[2]) }),
  };
}
