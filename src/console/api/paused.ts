/** Whether everything stands still because somebody wants to read in peace (`p`). */
import { createStore, useStore } from '../lib/store.ts';

const paused = createStore(false);
export const usePaused = (): boolean => useStore(paused);
export const togglePaused = (): void => paused.set(!paused.get());
