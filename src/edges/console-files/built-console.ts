import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '../../errors/gateway-error.ts'

/** What the build says of itself, as far as it concerns serving. */
interface Manifest {
  /** The page, in which `__NONCE__` stands for a value of each answer's own. */
  readonly page: string
}

// The folder holds nothing but what the build made, and such a name leads nowhere else.
const FILE_NAME = /^[\w-]+\.(js|css|svg)$/

/** The build on disk. A new one is seen at the next request for the page; files of the one before stay a while. */
export class BuiltConsole {
  readonly #folder: string
  #reading: { readonly modifiedAtMs: number; readonly page: string } | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  page(): string {
    const path = join(this.#folder, 'manifest.json')
    const modifiedAtMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (modifiedAtMs === undefined) throw notBuilt()
    if (this.#reading?.modifiedAtMs !== modifiedAtMs) this.#reading = { modifiedAtMs, page: readPage(path) }
    return this.#reading.page
  }

  /** Where a file of this name would be; null when no file of a build has such a name. */
  pathOf(name: string): string | null {
    return FILE_NAME.test(name) ? join(this.#folder, 'assets', name) : null
  }
}

function readPage(path: string): string {
  const { page } = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  return page
}

function notBuilt(): GatewayError {
  return new GatewayError('not_found', 'The console is not built; build it with "npm run console".')
}
