/** What was begun before somebody left the page, or loaded it anew, is in the form again. */
import { Note } from '../places.tsx';

/** Of a draft that is kept. */
export interface Begun {
  /** It is of an earlier visit of the page. */
  isFound?: boolean;
  /** Without secrets that somebody had entered. */
  isPartial?: boolean;
}

export function Unsaved({ isFound = false, isPartial = false }: Begun) {
  if (!isFound) return null;
  return (
    <div className="mb-5">
      <Note tone="idle">
        Your unsaved changes are still here.
        {isPartial && ' Passwords and other secrets were not kept: enter them again.'}
      </Note>
    </div>
  );
}
