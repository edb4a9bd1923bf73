/** What has come since the list was read: it waits for somebody to ask for it, so that no line moves under a finger. */
import { useState } from 'react';
import { useGet } from '../../api/queries.ts';
import { count } from '../../lib/format.ts';
import { Button } from '../../parts/button.tsx';
import { useKeys } from '../../parts/keys.tsx';
import { Spoken } from '../../parts/spoken.tsx';
import type { MessageFilter } from './filter.ts';
import { usePlace } from './place.ts';

const EVERY_MS = 2_000;
const MOST = 100;

interface NewerProps {
  filter: MessageFilter;
  /** Up to where nothing is new; null: that is not known before the list has looked further. */
  last: number | null;
  onShow: () => void;
}

export function Newer({ filter, last, onShow }: NewerProps) {
  const { paths, name, parked } = usePlace();
  const [parkedThen, setParkedThen] = useState(parked);
  const query = { ...filter, after: String(last ?? 0), limit: MOST };
  const { data, isPlaceholderData } = useGet(
    paths.list,
    { path: { sink: name }, query },
    { every: EVERY_MS, enabled: last !== null },
  );
  const behind = last === null || isPlaceholderData ? 0 : (data?.data.length ?? 0);
  // What is parked later may be older than the last one.
  const isWhole = Object.keys(filter).join() === 'state' && filter.state === 'parked';
  const newer = Math.max(behind, isWhole ? parked - parkedThen : 0);
  const show = (): void => {
    setParkedThen(parked);
    onShow();
  };
  useKeys({ r: show });
  const many = `${count(newer)}${behind === MOST && newer === MOST ? ' or more' : ''}`;
  return (
    <>
      <Spoken text={newer > 0 ? `New messages: ${many}` : ''} />
      {newer > 0 && (
        <span className="inline-flex items-center gap-2 text-sm text-text">
          {many} newer
          <Button onClick={show}>Show</Button>
        </span>
      )}
    </>
  );
}
