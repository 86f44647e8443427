import { existsSync, readFileSync, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import {
  type ApplySupplyText,
  RefusedSupply,
  type SupplyChanges,
  type SupplyText,
} from '../../manage/ports/supply-application.ts'
import type { Log } from '../../serve/ports/log.ts'

/** The actor in audit events. */
const ACTOR = 'supply file'

export interface SupplyFileSetting {
  readonly path: string
  /** Whether the file was configured explicitly. The default file may be absent. */
  readonly isRequired: boolean
  readonly variables: SupplyText['variables']
}

export interface SupplyFileTools {
  readonly apply: ApplySupplyText
  readonly log: Log
}

/** The supply file of a running gateway. */
export interface SupplyFile {
  /** Applies the file. Throws RefusedSupply when it cannot be read or is invalid. */
  apply(): Promise<SupplyChanges>
  /** Applies the file whenever it changes. An invalid file is logged and changes nothing. */
  follow(): void
  close(): Promise<void>
}

/** Null when the default file does not exist. */
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
      onTrouble: (error) => this.#tools.log.trouble('the supply file is no longer watched', error),
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
    for (const { id, warning } of changes) {
      if (warning !== undefined) this.#tools.log.notice(warning, { file: this.#setting.path, id })
    }
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

// Editors write in several steps. After this long without a change the file is complete.
const QUIET_MS = 100

/**
 * Calls `onChange` when a file may have changed. It watches the folder instead of the file: editors replace the file,
 * and a watch on the old one would report nothing more.
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

/** Kubernetes mounts a ConfigMap as a link into a folder such as `..data`, which it replaces as a whole. */
function concerns(changed: string | null, name: string): boolean {
  return changed === null || changed === name || changed.startsWith('..')
}
