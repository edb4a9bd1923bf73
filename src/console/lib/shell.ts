/** A word as a shell reads it whole. */
export const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
