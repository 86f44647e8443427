import type { Place } from '../engines/open-database.ts'

/** A test's own process. */
export interface Helper {
  /** Resolves when it has said its first word, which it says when it is where the test wants it. */
  readonly ready: Promise<void>
  /** Lets it go on. */
  release(): void
  /** Ends it as a crash would. */
  kill(): void
  /** The code it ended with; null when it was killed. */
  readonly ended: Promise<number | null>
}

type Program = 'lock-holder' | 'change-writer' | 'seal-binder'

export function startHelper(program: Program, words: readonly string[], place: Place): Helper {
  const script = new URL(`./${program}.ts`, import.meta.url).pathname
  const child = Bun.spawn([process.execPath, script, ...words, place.databaseUrl ?? '', place.dataFolder], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  return {
    ready: readFirst(child.stdout),
    release: () => {
      child.stdin.write('\n')
      child.stdin.flush()
    },
    kill: () => child.kill('SIGKILL'),
    ended: child.exited.then(() => child.exitCode),
  }
}

async function readFirst(output: ReadableStream<Uint8Array>): Promise<void> {
  const reader = output.getReader()
  const { done } = await reader.read()
  reader.releaseLock()
  if (done) throw new Error('The process of the test has ended before it was ready.')
}
