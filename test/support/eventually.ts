// Only a test that fails waits so long. On a busy machine what takes a moment may take several seconds.
const DEADLINE_MS = 120_000
const FIRST_POLL_MS = 5
const LAST_POLL_MS = 25

/** Asks until there is an answer; for what happens soon but not at once, such as a row reaching the database. */
export async function eventually<T>(
  what: string,
  find: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  patienceMs = DEADLINE_MS,
): Promise<T> {
  const startMs = performance.now()
  for (;;) {
    const found = await find()
    if (found !== null && found !== undefined && found !== false) return found
    const waitedMs = performance.now() - startMs
    if (waitedMs > patienceMs) throw new Error(`${what} did not happen within ${patienceMs} ms`)
    // What takes a second is not asked for two hundred times: each question is work for the gateway under test.
    await Bun.sleep(Math.min(FIRST_POLL_MS + waitedMs / 20, LAST_POLL_MS))
  }
}
