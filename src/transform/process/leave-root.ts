/**
 * Root becomes an account that owns nothing and that no other process has, for good: it can send no signal to its parent,
 * and read neither memory nor environment nor files that are not everybody's. Done by the sandbox process itself once it has
 * loaded what it needs, because another account may not be able to enter the folder that we are installed in.
 */

/** False where the system does not let us (a container that knows few accounts): everything is as it was. */
export function leaveRoot(account: number): boolean {
  try {
    process.setgroups?.([]);
    process.setgid?.(account);
    process.setuid?.(account);
    return process.getuid?.() === account;
  } catch {
    return false;
  }
}
