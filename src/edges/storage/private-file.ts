import { closeSync, existsSync, openSync } from 'node:fs'

/**
 * Makes an empty file that only its owner can read. One that is there is not touched: to open and close a file makes
 * the system drop every lock that this process holds on it.
 */
export function makePrivateFile(path: string): void {
  if (existsSync(path)) return
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    // Another process was first.
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}
