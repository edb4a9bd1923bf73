const MAX = 63;

/** A name that Millrace takes, made of one that somebody else gave. `ending` stands whole behind a long one too. */
export function nameFrom(text: string, ending = ''): string {
  const stem = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX - ending.length)
    .replaceAll(/^-+|-+$/g, '');
  return stem === '' ? ending.replace(/^-/, '') : stem + ending;
}
