/** How many calls through a proxy may run at once; Bun's default is 256. Read once, at process start. */
const CALL_LIMIT = 'BUN_CONFIG_MAX_HTTP_REQUESTS'
const MOST_CALLS = '65535'

/**
 * Replaces this process with the same runtime, these arguments and a higher limit, so that its process id stays the same
 * and signals reach it directly. Returns where this has been done already, and on Windows, which cannot do it.
 */
export function beginAnew(args: readonly string[]): void {
  if (process.env[CALL_LIMIT] || process.platform === 'win32') return
  process.execve?.(process.execPath, ['turnpike', ...args], { ...process.env, [CALL_LIMIT]: MOST_CALLS })
}
