/** Does a name in the address bar lead to this machine alone? What is said to it passes no other one. */
export const isLoopbackName = (name: string): boolean =>
  /^(?:(?:[^.]+\.)*localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/.test(name.toLowerCase());
