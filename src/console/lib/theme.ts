/** Light or dark: what the system says, until somebody chooses. */
import { createStore, useStore } from './store.ts';

export type Theme = 'system' | 'light' | 'dark';

const chosen = createStore<Theme>('system', 'theme');
const system = matchMedia('(prefers-color-scheme: dark)');

function show(): void {
  const theme = chosen.get();
  document.documentElement.dataset.theme = theme === 'system' ? (system.matches ? 'dark' : 'light') : theme;
}

export function followTheme(): void {
  system.addEventListener('change', show);
  chosen.follow(show);
  show();
}

export const useTheme = (): Theme => useStore(chosen);
export const chooseTheme = (theme: Theme): void => chosen.set(theme);
