import { existsSync, readFileSync } from 'node:fs'
import {
  type ApplySupplyText,
  RefusedSupply,
  type SupplyChanges,
  type SupplyText,
} from '../../manage/ports/supply-application.ts'
import type { Log } from '../../serve/ports/log.ts'
import { type FileWatch, watchFile } from './watch-file.ts'

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
