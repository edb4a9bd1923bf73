/** Every answer of a management route, in any test, fits the schema that its route declares, and every error the one of errors. */
import { z } from 'zod';
import { ErrorShape } from '../../../src/api/error-shape.ts';
import { ROUTES } from '../../../src/api/routes.ts';

const patterns = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}$`),
}));

/** @throws when it does not fit. */
export function checkAnswer(
  request: { method: string; path: string },
  { status, json }: { status: number; json: unknown },
): void {
  const path = request.path.replace(/[?#].*$/s, '');
  const found = patterns.find(({ route, pattern }) => route.method === request.method && pattern.test(path));
  if (found === undefined) return;
  const result = (status < 300 ? found.route.answer : ErrorShape).safeParse(json);
  if (result.success) return;
  throw new Error(`${request.method} ${path} ${status} does not fit: ${z.prettifyError(result.error)}`);
}
