/** Does work to its end, however it ends, and says so once when that takes long. */
export async function tellLate(
  { lateMs, onLate }: { lateMs: number; onLate(): void },
  work: () => Promise<void>,
): Promise<void> {
  const late = setTimeout(onLate, lateMs);
  try {
    await work();
  } finally {
    clearTimeout(late);
  }
}
