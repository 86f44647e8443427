import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '../../errors/gateway-error.ts'

/** The part of the build's manifest that serving needs. */
interface Manifest {
  /** The page, with `__NONCE__` in place of the nonce. */
  readonly page: string
}

// Such a name cannot lead out of the folder, which holds only files of the build.
const FILE_NAME = /^[\w-]+\.(js|css|svg)$/

/** The build on disk. A new build is used from the next request for the page on. */
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

  /** The path of a file of the build, which may not exist; null when the name is invalid. */
  pathOf(name: string): string | null {
    return FILE_NAME.test(name) ? join(this.#folder, 'assets', name) : null
  }
}

function readPage(path: string): string {
  const { page } = JSON.parse(readFileSync(path, 'utf8')) as Manifest
  return page
}

function notBuilt(): GatewayError {
  return new GatewayError('not_found', 'The console is not built. Build it with "npm run console".')
}
