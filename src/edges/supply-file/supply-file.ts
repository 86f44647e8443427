import { existsSync, readFileSync, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import {
  type ApplySupplyText,
  RefusedSupply,
  type SupplyChanges,
  type SupplyText,
} from '../../manage/ports/supply-application.ts'
import type { Log } from '../../serve/ports/log.ts'

/** Who the audit says did it. */
const ACTOR = 'supply file'

export interface SupplyFileSetting {
  readonly path: string
  /** Whether somebody asked for this very file; the usual one may be absent. */
  readonly isRequired: boolean
  readonly variables: SupplyText['variables']
}

export interface SupplyFileTools {
  readonly apply: ApplySupplyText
  readonly log: Log
}

/** The file that says what the supply should be, while the gateway runs. */
export interface SupplyFile {
  /** Applies it as it stands; throws RefusedSupply when it cannot be read or is wrong. */
  apply(): Promise<SupplyChanges>
  /** From now on applies it whenever it changes; one that is wrong is reported and changes nothing. */
  follow(): void
  close(): Promise<void>
}

/** Null when there is no such file and nobody asked for it. */
export function openSupplyFile(setting: SupplyFileSetting, tools: SupplyFileTools): SupplyFile | null {
  if (!setting.isRequired && !existsSync(setting.path)) return null
  return new FollowedFile(setting, tools)
}

class FollowedFile implements SupplyFile {
  readonly #setting: SupplyFileSetting
  readonly #tools: SupplyFileTools
  #watch: FileWatch | null = null
  #pending: Promise<void> = Promise.resolve()

  constructor(setting: SupplyFileSetting, tools: SupplyFileTools) {
    this.#setting = setting
    this.#tools = tools
  }

  async apply(): Promise<SupplyChanges> {
    const { path: name, variables } = this.#setting
    const source = { text: readText(name), name, variables }
    const changes = await this.#tools.apply(source, { actor: ACTOR, isDryRun: false })
    this.#report(changes)
    return changes
  }

  follow(): void {
    this.#watch ??= watchFile(this.#setting.path, {
      onChange: () => {
        this.#pending = this.#pending.then(() => this.#applyAgain())
      },
      onTrouble: (error) => this.#tools.log.trouble('the supply file is not watched any more', error),
    })
  }

  async close(): Promise<void> {
    this.#watch?.close()
    await this.#pending
  }

  async #applyAgain(): Promise<void> {
    try {
      await this.apply()
    } catch (error) {
      this.#tools.log.trouble('the supply file was not applied', error)
    }
  }

  #report(changes: SupplyChanges): void {
    const count = (result: string) => changes.filter((change) => change.result === result).length
    this.#tools.log.notice('the supply file was applied', {
      file: this.#setting.path,
      created: count('created'),
      changed: count('changed'),
      removed: count('removed'),
      unchanged: count('unchanged'),
    })
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    const problem = { path: [], message: `The file cannot be read (${code}).` }
    throw new RefusedSupply([problem], path, () => '')
  }
}

export interface FileWatch {
  close(): void
}

// Editors write in several steps; this long after the last of them the file is whole.
const QUIET_MS = 100

/**
 * Tells when a file may have changed. Its folder is watched rather than the file: editors put a new file in the place
 * of the old one, and a watch on the old one would see nothing more.
 */
export function watchFile(
  path: string,
  { onChange, onTrouble }: { onChange(): void; onTrouble(error: unknown): void },
): FileWatch {
  const name = basename(path)
  let timer: ReturnType<typeof setTimeout> | undefined
  const watcher = watch(dirname(resolve(path)), (_event, changed) => {
    if (!concerns(changed, name)) return
    clearTimeout(timer)
    timer = setTimeout(onChange, QUIET_MS)
  })
  watcher.on('error', onTrouble)
  return {
    close: () => {
      clearTimeout(timer)
      watcher.close()
    },
  }
}

/** A mounted configuration is a link into a folder whose name begins with two dots and which is swapped whole. */
function concerns(changed: string | null, name: string): boolean {
  return changed === null || changed === name || changed.startsWith('..')
}
