/** Code that is loaded with the page, or the part of one, that needs it. */
import { lazyRouteComponent } from '@tanstack/react-router';

const AGAIN_MS = 2_000;

/**
 * While nobody answers it is asked for again. What is not there although somebody answers is of an older console than that one's: the
 * router loads the page anew then.
 */
export async function loaded<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    try {
      return await load();
    } catch (error) {
      const isAnswered = await fetch('/livez').then(
        () => true,
        () => false,
      );
      if (isAnswered) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}

/** A page as its route names it. */
export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loaded(load), name);
