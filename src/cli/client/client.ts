/** A management route, asked: over HTTP, or in this process. Both give the same answers and the same errors. */
export interface Request {
  /** As `api/routes.ts` has it: `GET /api/sinks/:sink`. */
  route: string;
  /** Of its path. */
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | undefined>>;
  /** A text is JSON as it is to be sent. */
  body?: object | string;
  /** Of the thing that is changed, as it was read: `"7"`. */
  ifMatch?: string | undefined;
  /** Without a token. */
  isOpen?: boolean;
}

export interface Answer {
  status: number;
  /** JSON, as the service wrote it. */
  text: string;
  /** Of a thing that can be changed. */
  etag: string | undefined;
}

export interface Client {
  /** For people: where it asks. */
  readonly where: string;
  /** Over HTTP? Else this process does what is asked. */
  readonly isRemote: boolean;
  /** @throws MillraceError of the route, or unavailable. */
  ask(request: Request, signal?: AbortSignal): Promise<Answer>;
  /** The text of millrace.yaml with its secrets, which no service shows: absent over HTTP. */
  exportRevealed?(): Promise<string>;
}
