/** A name that Millrace takes, made of one that somebody else gave. */
export const nameFrom = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63);
