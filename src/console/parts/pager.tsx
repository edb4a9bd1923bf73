/** The way through a list page by page, for the page whose address it is. */
import { Button } from './button.tsx';

interface PagerProps {
  /** Where the page after this one begins; null: this is the last. */
  next: string | null;
  /** Where this one begins; absent: with the newest. */
  cursor: string | undefined;
  onGo: (cursor: string | undefined) => void;
}

export function Pager({ next, cursor, onGo }: PagerProps) {
  if (next === null && cursor === undefined) return null;
  return (
    <nav aria-label="Pages of this list" className="mt-3 flex justify-center gap-2">
      {cursor !== undefined && <Button onClick={() => onGo(undefined)}>Newest</Button>}
      {next !== null && <Button onClick={() => onGo(next)}>Older</Button>}
    </nav>
  );
}
