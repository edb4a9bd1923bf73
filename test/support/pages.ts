/** The code blocks of a page, as a reader would copy them. */
import { readFileSync } from 'node:fs';
import path from 'node:path';

export interface Block {
  /** `sh`, `sql`, `yaml`; empty where the page names none. */
  language: string;
  text: string;
  /** The nearest heading above it. */
  heading: string;
}

const ROOT = path.resolve(import.meta.dirname, '../..');

export const readPage = (page: string): string => readFileSync(path.join(ROOT, page), 'utf8');

/** In their order, without the indentation of a list. */
export function blocksOf(page: string): Block[] {
  const found: Block[] = [];
  let heading = '';
  let open: { block: Block; indent: string } | undefined;
  for (const line of readPage(page).split('\n')) {
    const fence = /^(\s*)```(\w*)$/.exec(line);
    if (open === undefined && fence !== null) {
      open = { block: { language: fence[2] ?? '', text: '', heading }, indent: fence[1] ?? '' };
    } else if (open !== undefined && fence !== null) {
      found.push(open.block);
      open = undefined;
    } else if (open !== undefined) {
      const own = line.startsWith(open.indent) ? line.slice(open.indent.length) : line;
      open.block.text += `${own}\n`;
    } else heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
  }
  return found;
}
