/** What a request has begun: answered with 202, and to be watched where `location` says. */
export class Begun<Body> {
  readonly location: string;
  readonly body: Body;
  constructor(location: string, body: Body) {
    this.location = location;
    this.body = body;
  }
}
