/** What a screen reader says of a figure that goes on changing, in words of its own: seldom enough to be listened to. */
import { useEffect, useId, useState } from 'react';
import { createVoice } from '../lib/voice.ts';

const voice = createVoice({ now: () => performance.now(), after: (ms, act) => void setTimeout(act, ms) });

export function Spoken({ text }: { text: string }) {
  const place = useId();
  const [said, speak] = useState('');
  useEffect(() => voice.say(place, text, speak), [place, text]);
  useEffect(() => () => voice.forget(place), [place]);
  return (
    <span role="status" className="sr-only">
      {said}
    </span>
  );
}
