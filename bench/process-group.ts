import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Subprocess } from 'bun'

const START_SECONDS = 60
const STOP_SECONDS = 5
const SIGNALS = ['SIGINT', 'SIGTERM'] as const

export interface StartedProcess {
  readonly name: string
  readonly pid: number
  /** The last lines it printed. */
  tail(): string
  isRunning(): boolean
  stop(): Promise<void>
}

export interface ProcessPlan {
  readonly name: string
  readonly command: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** The folder of the processes without it. */
  readonly directory?: string
}

/**
 * Every process the benchmark starts and the folder of their files, so that none outlives it, even when it is interrupted.
 */
export class ProcessGroup {
  readonly #folder: string
  readonly #processes: Subprocess[] = []

  constructor(folder: string) {
    this.#folder = folder
    mkdirSync(folder, { recursive: true })
    for (const signal of SIGNALS) process.once(signal, this.#giveUp)
  }

  start({ name, command, environment, directory = this.#folder }: ProcessPlan): StartedProcess {
    // Output goes to a file: writing it is part of a target's work, reading it must not be part of ours.
    const log = join(this.#folder, `${name}.log`)
    const file = Bun.file(log)
    const child = Bun.spawn([...command], {
      cwd: directory,
      env: { PATH: process.env.PATH, HOME: this.#folder, ...environment },
      stdin: 'ignore',
      stdout: file,
      stderr: file,
    })
    this.#processes.push(child)
    return {
      name,
      pid: child.pid,
      tail: () => readFileSync(log, 'utf8').trimEnd().split('\n').slice(-15).join('\n'),
      isRunning: () => child.exitCode === null && child.signalCode === null,
      stop: () => stopChild(child),
    }
  }

  /** Removes the folder as well. */
  async stop(): Promise<void> {
    for (const signal of SIGNALS) process.off(signal, this.#giveUp)
    await Promise.all(this.#processes.map(stopChild))
    rmSync(this.#folder, { recursive: true, force: true })
  }

  readonly #giveUp = (): void => {
    void this.stop().finally(() => process.exit(130))
  }
}

async function stopChild(child: Subprocess): Promise<void> {
  child.kill('SIGTERM')
  const deadline = setTimeout(() => child.kill('SIGKILL'), STOP_SECONDS * 1000)
  await child.exited
  clearTimeout(deadline)
}

/** Asks again until there is an answer; the error says what the process printed last. */
export async function awaitStart<T>(started: StartedProcess, ask: () => Promise<T | null>): Promise<T> {
  const deadlineMs = performance.now() + START_SECONDS * 1000
  while (performance.now() < deadlineMs && started.isRunning()) {
    const answer = await ask()
    if (answer !== null) return answer
    await Bun.sleep(50)
  }
  const what = started.isRunning() ? `was not ready within ${START_SECONDS} s` : 'ended while starting'
  throw new Error(`${started.name} ${what}. It printed:\n${started.tail()}`)
}

/** Our own programs listen on a port of the system's choice and print it. */
export function awaitPrintedPort(started: StartedProcess): Promise<number> {
  return awaitStart(started, async () => {
    const port = /^listening (\d+)$/m.exec(started.tail())?.[1]
    return port === undefined ? null : Number(port)
  })
}

export function awaitHttp(started: StartedProcess, url: string): Promise<Response> {
  return awaitStart(started, async () => {
    const reply = await fetch(url).catch(() => null)
    return reply?.ok ? reply : null
  })
}

/** For programs that need to be given a port. */
export function findFreePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
