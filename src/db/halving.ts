/** Finds what is at fault in a batch: what is refused as a whole is tried by halves, until each item refused stands alone. */

/**
 * `attempt`: is this part taken? It is asked for parts of at least one item, in order, and never again for items that were
 * taken. Returns the items that were refused by themselves, in order. Throws what `attempt` throws.
 */
export async function byHalves<Item>(
  items: readonly Item[],
  attempt: (part: readonly Item[]) => Promise<boolean>,
): Promise<Item[]> {
  if (items.length === 0 || (await attempt(items))) return [];
  if (items.length === 1) return [...items];
  const middle = Math.ceil(items.length / 2);
  const first = await byHalves(items.slice(0, middle), attempt);
  return [...first, ...(await byHalves(items.slice(middle), attempt))];
}
