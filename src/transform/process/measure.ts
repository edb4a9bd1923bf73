/** How large a result is, without copying it. Runs inside the isolate: its text is what is run, and uses nothing from outside. */
export interface Measures {
  isLonger(text: string, bytes: number): boolean;
  isDeeper(text: string, levels: number): boolean;
}

export function measure(): Measures {
  /** More than so many bytes in UTF-8? */
  function isLonger(text: string, bytes: number): boolean {
    if (text.length > bytes || text.length * 3 <= bytes) return text.length > bytes;
    let size = 0;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      // Each half of a pair counts two.
      size += unit < 0x80 ? 1 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
    }
    return size > bytes;
  }

  /** JSON nested in more levels than that? Postgres reads about twice as many, and no more. */
  function isDeeper(text: string, levels: number): boolean {
    if (text.length <= 2 * levels) return false;
    let depth = 0;
    let isString = false;
    for (let at = 0; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit === 0x22) isString = !isString;
      else if (isString) at += unit === 0x5c ? 1 : 0;
      else if (unit === 0x7b || unit === 0x5b) depth += 1;
      else if (unit === 0x7d || unit === 0x5d) depth -= 1;
      if (depth > levels) return true;
    }
    return false;
  }

  return { isLonger, isDeeper };
}
