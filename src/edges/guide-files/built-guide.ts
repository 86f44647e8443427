import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const INDEX = 'index.html'
const NOT_FOUND = '404.html'

/** A file of the site. */
export interface GuideFile {
  readonly path: string
  readonly name: string
  readonly status: 200 | 404
}

/** The site on disk. A new build is used from the next request on. */
export class BuiltGuide {
  readonly #folder: string
  #reading: { readonly modifiedAtMs: number; readonly files: ReadonlySet<string> } | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The file for a path, or the page for unknown paths; null when the site is not built. */
  find(path: string): GuideFile | null {
    const files = this.#files()
    if (files === null) return null
    const name = namesFor(path).find((each) => files.has(each))
    return name === undefined ? this.#file(NOT_FOUND, 404) : this.#file(name, 200)
  }

  #file(name: string, status: 200 | 404): GuideFile {
    return { path: join(this.#folder, name), name, status }
  }

  /** Only files that the build lists are served, so no path can lead out of the folder. */
  #files(): ReadonlySet<string> | null {
    const path = join(this.#folder, 'manifest.json')
    const modifiedAtMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs
    if (modifiedAtMs === undefined) return null
    if (this.#reading?.modifiedAtMs !== modifiedAtMs) {
      const { files } = JSON.parse(readFileSync(path, 'utf8')) as { files: string[] }
      this.#reading = { modifiedAtMs, files: new Set(files) }
    }
    return this.#reading.files
  }
}

/** Pages have addresses without `.html`. */
function namesFor(path: string): string[] {
  if (path === '' || path.endsWith('/')) return [`${path}${INDEX}`]
  return [path, `${path}.html`, `${path}/${INDEX}`]
}
