/**
 * Works side by side, but those of one group one after the other, in their order. Earlier works are begun first, so that
 * little is left undone before what is done when it stops.
 */
export interface InOrder {
  /** At the same time, at most. */
  parallel: number;
  /** False: no other work is begun. */
  mayBegin(): boolean;
}

interface Node<Work> {
  place: number;
  work: Work;
  /** Earlier works of its groups that have not ended. */
  waitsFor: number;
  next: Node<Work>[];
}

/** Ends when what was begun has ended. `groups`: those of a work, each once. `run` must not throw. */
export async function inOrder<Work>(
  works: readonly { work: Work; groups: readonly number[] }[],
  { parallel, mayBegin }: InOrder,
  run: (work: Work) => Promise<void>,
): Promise<void> {
  const ready = linked(works).filter(({ waitsFor }) => waitsFor === 0);
  // The earliest is the last.
  ready.reverse();
  let running = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = (node: Node<Work>): void => {
    running -= 1;
    for (const next of node.next) {
      next.waitsFor -= 1;
      if (next.waitsFor === 0) insert(ready, next);
    }
    begin();
  };
  // Not by Promise.race: it would look at all that run each time that one of them ends.
  const begin = (): void => {
    while (running < parallel && ready.length > 0 && mayBegin()) {
      const node = ready.pop()!;
      running += 1;
      run(node.work).then(() => end(node), reject);
    }
    if (running === 0) resolve();
  };
  begin();
  await promise;
}

function linked<Work>(works: readonly { work: Work; groups: readonly number[] }[]): Node<Work>[] {
  const last = new Map<number, Node<Work>>();
  return works.map(({ work, groups }, place) => {
    const node: Node<Work> = { place, work, waitsFor: 0, next: [] };
    const before = new Set<Node<Work>>();
    for (const group of groups) {
      const earlier = last.get(group);
      if (earlier) before.add(earlier);
      last.set(group, node);
    }
    node.waitsFor = before.size;
    for (const earlier of before) earlier.next.push(node);
    return node;
  });
}

function insert<Work>(ready: Node<Work>[], node: Node<Work>): void {
  const at = ready.findIndex(({ place }) => place < node.place);
  ready.splice(at < 0 ? ready.length : at, 0, node);
}
