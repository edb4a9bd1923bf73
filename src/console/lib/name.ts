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

/** The name, or with the first number behind it that nobody has. */
export function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let nth = 2;
  while (taken.has(nameFrom(name, `-${nth}`))) nth += 1;
  return nameFrom(name, `-${nth}`);
}
