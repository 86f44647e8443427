const VERDICT = /^\((pass|fail|skip|todo)\) /
const MOST_LINES = 60

/** The tests that failed, each with what `bun test` said about it, which is printed before the verdict. */
export function readFailures(output: string): readonly string[] {
  // What follows the last test repeats the verdicts without their reasons.
  const [tests = ''] = Bun.stripANSI(output).split(/^\d+ tests? failed:$/m)
  const failures: string[] = []
  let said: string[] = []
  for (const line of tests.split('\n')) {
    said.push(line)
    if (!VERDICT.test(line)) continue
    if (line.startsWith('(fail)')) failures.push(said.slice(-MOST_LINES).join('\n').trim())
    said = []
  }
  return failures
}
