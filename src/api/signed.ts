/** An answer that begins or ends a session: its cookie goes with it. */
export class Signed<Body> {
  /** What the cookie holds from now on; null: nothing. */
  readonly value: string | null;
  readonly body: Body;
  constructor(value: string | null, body: Body) {
    this.value = value;
    this.body = body;
  }
}
