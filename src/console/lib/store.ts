/** A value that components follow. `key`: it is remembered under that name in this browser. */
import { useSyncExternalStore } from 'react';

export interface Store<Value> {
  get(): Value;
  set(value: Value): void;
  follow(told: () => void): () => void;
}

export function createStore<Value>(first: Value, key?: string): Store<Value> {
  let value = key === undefined ? first : remembered(key, first);
  const followers = new Set<() => void>();
  return {
    get: () => value,
    set(next) {
      value = next;
      if (key !== undefined) remember(key, next);
      for (const told of followers) told();
    },
    follow(told) {
      followers.add(told);
      return () => followers.delete(told);
    },
  };
}

export const useStore = <Value>(store: Store<Value>): Value => useSyncExternalStore(store.follow, store.get);

/** Browsers may forbid it: then nothing is remembered. */
function remembered<Value>(key: string, first: Value): Value {
  try {
    const text = localStorage.getItem(`millrace.${key}`);
    return text === null ? first : (JSON.parse(text) as Value);
  } catch {
    return first;
  }
}

function remember(key: string, value: unknown): void {
  try {
    localStorage.setItem(`millrace.${key}`, JSON.stringify(value));
  } catch {}
}
