/**
 * What is read aloud: of all places of a page that have something to say one at a time, once in 5 s, in its newest words, and
 * only when they are others than the last ones.
 */
const QUIET_MS = 5_000;

export interface VoiceClock {
  now(): number;
  /** Calls it once, so much later. */
  after(ms: number, act: () => void): void;
}

export interface Voice {
  /** `speak` is called with the text when its turn has come; with an empty one, which nobody hears, at once. */
  say(place: string, text: string, speak: (text: string) => void): void;
  /** The place is gone. */
  forget(place: string): void;
}

export function createVoice({ now, after }: VoiceClock): Voice {
  const said = new Map<string, string>();
  // In the order in which they came.
  const waiting = new Map<string, { text: string; speak: (text: string) => void }>();
  let isAsleep = false;
  let spokenAt = Number.NEGATIVE_INFINITY;
  const next = (): void => {
    const [first] = waiting;
    if (isAsleep || first === undefined) return;
    const rest = spokenAt + QUIET_MS - now();
    if (rest > 0) {
      isAsleep = true;
      after(rest, () => {
        isAsleep = false;
        next();
      });
      return;
    }
    const [place, { text, speak }] = first;
    waiting.delete(place);
    said.set(place, text);
    spokenAt = now();
    speak(text);
    next();
  };
  return {
    say(place, text, speak) {
      if (text === '' || said.get(place) === text) waiting.delete(place);
      else waiting.set(place, { text, speak });
      if (text === '') {
        said.delete(place);
        speak('');
      }
      next();
    },
    forget(place) {
      waiting.delete(place);
      said.delete(place);
    },
  };
}
