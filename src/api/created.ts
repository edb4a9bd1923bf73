/** What a request has made: answered with 201 (or with what its route says), and found where `location` says. */
export class Created<Body> {
  readonly location: string;
  readonly body: Body;
  constructor(location: string, body: Body) {
    this.location = location;
    this.body = body;
  }
}
