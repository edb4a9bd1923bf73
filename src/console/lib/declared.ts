/** The configuration file, as people call it. */

/** `from`: where it was applied from; of a start, or unknown, that tells nobody anything. */
export const configurationFile = (from: string | null): string =>
  from === null || from === 'start' ? 'the configuration file' : `the configuration file (${from})`;

/** Who changed something last: `user ann@example.org`, `token ci`, or the file. */
export const changer = (by: string): string =>
  by.startsWith('file ') ? configurationFile(by.slice('file '.length)) : by;
