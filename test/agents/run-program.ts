import { spawn } from 'node:child_process'

export interface Program {
  readonly command: readonly [string, ...string[]]
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly timeoutSeconds: number
}

export interface Ended {
  /** null when it was stopped at its time-out. */
  readonly exitCode: number | null
  readonly output: string
}

/** What a shell says of a program that could not be started. */
const NOT_STARTED = 127
const INTERRUPTED = 130

/** Runs a program in a separate process group, and leaves nothing of the group behind. */
export function runProgram({ command, folder, environment, timeoutSeconds }: Program): Promise<Ended> {
  const [file, ...rest] = command
  // Agents wait for more to read when there is anything to read from.
  const child = spawn(file, rest, {
    cwd: folder,
    env: environment,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const pieces: Buffer[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => pieces.push(piece))
  let isLate = false
  const deadline = setTimeout(() => {
    isLate = true
    killGroup(child.pid)
  }, timeoutSeconds * 1000)
  // The group does not hear what is typed at our terminal.
  const interrupt = () => {
    killGroup(child.pid)
    process.exit(INTERRUPTED)
  }
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  return new Promise<Ended>((resolve) => {
    child.on('error', ({ message }) => resolve({ exitCode: NOT_STARTED, output: message }))
    child.on('exit', () => killGroup(child.pid))
    child.on('close', (exitCode) => {
      resolve({ exitCode: isLate ? null : exitCode, output: Buffer.concat(pieces).toString() })
    })
  }).finally(() => {
    clearTimeout(deadline)
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  })
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // No process of the group is left.
  }
}
