/** A part of the API that is loaded when somebody first asks for it: who only receives messages should not wait for it, nor keep it. */
import express, { type Router } from 'express';
import type { Mount } from './route.ts';

/** Its paths begin with `prefix`, in lower or upper case as the routes take them. A part that could not be loaded is tried again with the next request. */
export function lazily(prefix: string, load: () => Promise<Mount>): Mount {
  let part: Promise<Router> | undefined;
  const open = async (): Promise<Router> => {
    const router = express.Router();
    (await load())(router);
    return router;
  };
  return (router) => {
    router.use(async (request, response, next) => {
      if (!request.path.toLowerCase().startsWith(prefix)) return next();
      part ??= open().catch((error: unknown) => {
        part = undefined;
        throw error;
      });
      (await part)(request, response, next);
    });
  };
}
