// Only a test that fails waits so long. On a busy machine what takes a moment may take several seconds.
const DEADLINE_MS = 30_000
const POLL_MS = 5

/** Asks until there is an answer; for what happens soon but not at once, such as a row reaching the database. */
export async function eventually<T>(
  what: string,
  find: () => T | null | undefined | false | Promise<T | null | undefined | false>,
  patienceMs = DEADLINE_MS,
): Promise<T> {
  const endMs = performance.now() + patienceMs
  for (;;) {
    const found = await find()
    if (found !== null && found !== undefined && found !== false) return found
    if (performance.now() > endMs) throw new Error(`${what} did not happen within ${patienceMs} ms`)
    await Bun.sleep(POLL_MS)
  }
}
