import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { GatewayError } from '../../errors/gateway-error.ts'

/** The part of the build's manifest that serving needs. */
interface Manifest {
  /** The page, with `__NONCE__` and `__CURRENCY__` in place of their values. */
  readonly page: string
}

// Such a name cannot lead out of the folder, which holds only files of the build.
const FILE_NAME = /^[\w-]+\.(js|css|svg)$/

/** The build on disk. A new build is used from the next request for the page on. */
export class BuiltConsole {
  readonly #folder: string
  readonly #currency: string
  #reading: { readonly modifiedAtMs: number; readonly page: string } | null = null

  /** The currency is what people call it. */
  constructor(folder: string, currencyName: string) {
    this.#folder = folder
    this.#currency = escapeAttribute(currencyName)
  }

  page(): string {
    const path = join(this.#folder, 'manifest.json')
    const modifiedAtMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (modifiedAtMs === undefined) throw notBuilt()
    if (this.#reading?.modifiedAtMs !== modifiedAtMs) {
      const page = readPage(path).replace('__CURRENCY__', () => this.#currency)
      this.#reading = { modifiedAtMs, page }
    }
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

function escapeAttribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

function notBuilt(): GatewayError {
  return new GatewayError('not_found', 'The console is not built. Build it with "npm run console".')
}
