/** What `millrace start` can run. */
export const WORDS = ['all', 'web', 'worker', 'capture', 'migrate'] as const;
export type Word = (typeof WORDS)[number];
