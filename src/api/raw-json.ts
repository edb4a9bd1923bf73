/** JSON text inside an answer, as it was stored: never parsed here, so that no digit of a row is lost. */

export class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What JSON.stringify does, with each RawJson as its text. Other texts must hold no U+0000, which Postgres never stores. */
export function textOf(value: unknown): string {
  const texts: string[] = [];
  const outline = JSON.stringify(value, (_key, item: unknown) =>
    item instanceof RawJson ? `\0${texts.push(item.text) - 1}\0` : item,
  );
  if (texts.length === 0) return outline;
  return outline.replaceAll(/"\\u0000(\d+)\\u0000"/g, (_, place: string) => texts[Number(place)]!);
}
