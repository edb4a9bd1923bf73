/** Light or dark: what the system says, until somebody chooses. */
import { createStore, useStore } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';

const chosen = createStore<Theme>('system', 'theme');
/** Which of them is shown: the system may change its mind. */
const shown = createStore<'light' | 'dark'>('light');
const system = matchMedia('(prefers-color-scheme: dark)');

function show(): void {
  const theme = chosen.get();
  const next = theme === 'system' ? (system.matches ? 'dark' : 'light') : theme;
  document.documentElement.dataset.theme = next;
  shown.set(next);
}

export function followTheme(): void {
  system.addEventListener('change', show);
  chosen.follow(show);
  show();
}

export const useTheme = (): Theme => useStore(chosen);
export const useShownTheme = (): 'light' | 'dark' => useStore(shown);
export const chooseTheme = (theme: Theme): void => chosen.set(theme);
