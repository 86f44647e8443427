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

/** Runs a program in a process group of its own, and leaves nothing of the group behind. */
export function runProgram({ command, folder, environment, timeoutSeconds }: Program): Promise<Ended> {
  const [file, ...rest] = command
  return new Promise((resolve, reject) => {
    // Agents wait for more to read when there is anything to read from.
    const child = spawn(file, rest, {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const pieces: Buffer[] = []
    child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
    child.stderr.on('data', (piece: Buffer) => pieces.push(piece))
    let isLate = false
    const deadline = setTimeout(() => {
      isLate = true
      killGroup(child.pid)
    }, timeoutSeconds * 1000)
    child.on('error', reject)
    child.on('exit', () => killGroup(child.pid))
    child.on('close', (exitCode) => {
      clearTimeout(deadline)
      resolve({ exitCode: isLate ? null : exitCode, output: Buffer.concat(pieces).toString() })
    })
  })
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return
  try {
    process.kill(-leader, 'SIGKILL')
  } catch {
    // Nobody of the group is left.
  }
}
