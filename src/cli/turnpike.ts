#!/usr/bin/env bun
import { run } from './run.ts'

const { stdout, stderr } = process
let hasProgress = false

/** Progress is for people who watch; a pipe gets none. */
function showProgress(line: string | null): void {
  if (line === null && !hasProgress) return
  hasProgress = line !== null
  stderr.write(`\r\u001B[2K${(line ?? '').slice(0, Math.max(0, (stderr.columns ?? 80) - 1))}`)
}

/** What is printed takes the place of the line that tells the progress. */
const writingTo = (stream: NodeJS.WriteStream) => (text: string) => {
  showProgress(null)
  stream.write(text)
}

process.exitCode = await run(process.argv.slice(2), {
  print: writingTo(stdout),
  printError: writingTo(stderr),
  ...(stderr.isTTY && { showProgress }),
  columns: stdout.isTTY ? stdout.columns : undefined,
  untilInterrupted: () =>
    new Promise((resolve) => {
      process.once('SIGINT', () => resolve())
      process.once('SIGTERM', () => resolve())
    }),
})
