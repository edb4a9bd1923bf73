/**
 * The tables of a stream as they were announced last. Whoever goes back to a place of before finds them as they were there: what was
 * known before each announcement is kept until nobody goes back that far, so a place costs nothing, however many tables there are.
 */
import type { LoadedRelation } from '../../routing/relation.ts';

export class KnownRelations {
  readonly #now = new Map<number, LoadedRelation>();
  /** What was known of the table before each announcement, from the one with number `#first` on. */
  #before: { oid: number; relation: LoadedRelation | undefined }[] = [];
  #first = 0;

  get(oid: number): LoadedRelation | undefined {
    return this.#now.get(oid);
  }

  get all(): Iterable<LoadedRelation> {
    return this.#now.values();
  }

  know(relation: LoadedRelation): void {
    const { oid } = relation;
    this.#before.push({ oid, relation: this.#now.get(oid) });
    this.#now.set(oid, relation);
  }

  /** So many were announced: a place to go back to. */
  get place(): number {
    return this.#first + this.#before.length;
  }

  /** Nobody goes back to a place before this one. */
  passed(place: number): void {
    this.#before = this.#before.slice(place - this.#first);
    this.#first = place;
  }

  /** They are as they were at this place, each as `again` has it. */
  goBack(place: number, again: (relation: LoadedRelation) => LoadedRelation): void {
    for (const { oid, relation } of this.#before.splice(place - this.#first).reverse()) {
      if (relation) this.#now.set(oid, relation);
      else this.#now.delete(oid);
    }
    for (const [oid, relation] of this.#now) this.#now.set(oid, again(relation));
  }
}
