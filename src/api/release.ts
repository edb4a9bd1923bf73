/** Who has the say in a thing that a file made: the file, or whoever uses the API. */
import type { z } from 'zod';
import { adopt, type Releasable, release } from '../admin/release.ts';
import { type ApiDeps, type Asking, NO_BODY, type Route, writing } from './route.ts';

interface Released<Input extends z.ZodObject, Shape extends z.ZodType> {
  /** Of the thing, with its parameter. */
  path: string;
  input: Input;
  type: Releasable['type'];
  /** For people: `a sink`. */
  what: string;
  answer: Shape;
  find(deps: ApiDeps, input: z.output<Input>): Promise<{ id: string; name: string }>;
  /** It may be renamed meanwhile. */
  show(deps: ApiDeps, id: string, asking: Asking): Promise<z.input<Shape>>;
}

export function releaseOf<Input extends z.ZodObject, Shape extends z.ZodType>(of: Released<Input, Shape>): Route[] {
  const { path, input, type, what, answer } = of;
  const verb = (name: string, summary: string, move: typeof release): Route =>
    writing({
      method: 'POST',
      path: `${path}/${name}`,
      scope: 'admin',
      summary,
      ...{ input, body: NO_BODY, answer },
      sql: null,
      async run(deps, given, asking) {
        const { id, name: found } = await of.find(deps, given as z.output<Input>);
        await move(deps.db, { type, name: found });
        return await of.show(deps, id, asking);
      },
    });
  return [
    verb('release', `Releases ${what} from the file, whose entry then has no effect`, release),
    verb('adopt', `Returns ${what} that was released to the file`, adopt),
  ];
}
