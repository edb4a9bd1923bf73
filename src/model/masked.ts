/** What people see instead of a secret. */

/** Stands for a secret that is not shown. Declared again, it keeps the one that is stored. */
export const MASK = '********';
/** Shows that a secret is to change. */
export const CHANGED = `${MASK} (changed)`;
