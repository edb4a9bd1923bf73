/** The time, second by second, for ages on the page; UTC or local, as this browser prefers. */
import { useSyncExternalStore } from 'react';
import type { Zone } from './format.ts';
import { serviceTime } from './service-time.ts';
import { createStore, useStore } from './store.ts';

let now = Date.now();
const followers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

function follow(told: () => void): () => void {
  followers.add(told);
  if (timer === undefined) now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of followers) each();
  }, 1_000);
  return () => {
    followers.delete(told);
    if (followers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Milliseconds since 1970 by the clock of this machine, for what was noted here; moves once a second. */
export const useOwnNow = (): number => useSyncExternalStore(follow, () => now);

/** The same by the clock of the service, for what the API names. */
export const useNow = (): number => serviceTime(useOwnNow());
const zone = createStore<Zone>('utc', 'zone');
export const useZone = (): Zone => useStore(zone);
export const switchZone = (): void => zone.set(zone.get() === 'utc' ? 'local' : 'utc');
