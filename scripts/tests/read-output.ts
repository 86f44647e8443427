const VERDICT = /^\((pass|fail|skip|todo)\) /
const MAX_LINES = 60

/** The tests that failed, each with what `bun test` said about it, which is printed before the verdict. */
export function readFailures(output: string): readonly string[] {
  // What follows the last test repeats the verdicts without their reasons.
  const [tests = ''] = Bun.stripANSI(output).split(/^\d+ tests? failed:$/m)
  const failures: string[] = []
  let said: string[] = []
  for (const line of tests.split('\n')) {
    said.push(line)
    if (!VERDICT.test(line)) continue
    if (line.startsWith('(fail)')) failures.push(said.slice(-MAX_LINES).join('\n').trim())
    said = []
  }
  return failures
}

export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** Reads the summary at the end of `bun test`; null when there is none, for instance after a crash. */
export function readTally(output: string): Tally | null {
  const plain = Bun.stripANSI(output)
  // A test may print lines that look like a summary, so only what follows the last test counts.
  const summary = plain.slice(plain.search(/\n *\d+ pass\n(?![\s\S]*\n *\d+ pass\n)/))
  const passed = count(summary, 'pass')
  if (passed === null || !/^Ran \d+ tests? across/m.test(summary)) return null
  return { passed, failed: count(summary, 'fail') ?? 0, skipped: count(summary, 'skip') ?? 0 }
}

function count(summary: string, word: string): number | null {
  const found = new RegExp(`^ *(\\d+) ${word}$`, 'm').exec(summary)?.[1]
  return found === undefined ? null : Number(found)
}
