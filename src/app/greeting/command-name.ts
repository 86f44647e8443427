import { sep } from 'node:path'

/** How this program was started, as far as it decides how its commands are called. */
export interface Program {
  readonly isBinary: boolean
  /** The file that runs: the binary, or the runtime. */
  readonly path: string
  /** A folder of the program's own code. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The file that the shell runs for `turnpike`; null: none. */
  readonly installed: string | null
}

export function thisProgram(): Program {
  return {
    isBinary: Bun.isStandaloneExecutable,
    path: process.execPath,
    folder: import.meta.dirname,
    environment: process.env,
    installed: Bun.which('turnpike'),
  }
}

/** What to write before a command such as `keys create`, so that it runs when pasted. */
export function commandName({ isBinary, path, folder, environment, installed }: Program): string {
  if (isBinary) return installed === path ? 'turnpike' : quote(path)
  if (!folder.includes(`${sep}node_modules${sep}`)) return 'npm run turnpike --'
  // Under npx, `turnpike` is found by this process but not by the shell that started it.
  const isNpx = environment.npm_command === 'exec' || folder.includes(`${sep}_npx${sep}`)
  return !isNpx && installed !== null ? 'turnpike' : 'npx turnpike'
}

function quote(path: string): string {
  return /^[\w./@+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
