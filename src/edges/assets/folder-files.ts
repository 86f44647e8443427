import { mkdirSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AssetPlace } from './asset-address.ts'
import type { AssetFiles, StoredFile } from './asset-files.ts'
import { isOver, shelfOf } from './shelf.ts'

/** Assets in a folder of this node. */
export class FolderFiles implements AssetFiles {
  readonly #path: string

  constructor(path: string) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    this.#path = path
  }

  async write(place: AssetPlace, content: Uint8Array): Promise<void> {
    const path = this.#pathOf(place)
    await mkdir(join(this.#path, shelfOf(place.expiresAtSeconds)), { recursive: true, mode: 0o700 })
    // No address can name this file, and one that a crash left behind goes when its shelf is over.
    const draft = `${path}.draft`
    try {
      await writePrivate(draft, content)
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  async open(place: AssetPlace): Promise<StoredFile | null> {
    const path = this.#pathOf(place)
    try {
      const { size } = await stat(path)
      return { bytes: size, content: Bun.file(path, { type: place.mediaType }) }
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  async deleteOver(nowMs: number, atMost: number): Promise<number> {
    const shelves = await readdir(this.#path)
    let deleted = 0
    for (const shelf of shelves.filter((name) => isOver(name, nowMs)).sort()) {
      if (deleted < atMost) deleted += await this.#clear(join(this.#path, shelf), atMost - deleted)
    }
    return deleted
  }

  /** A shelf that is over gets nothing new, so an empty one can go. */
  async #clear(shelf: string, atMost: number): Promise<number> {
    const names = await readdir(shelf)
    const chosen = names.slice(0, atMost)
    for (const name of chosen) await rm(join(shelf, name), { force: true })
    if (chosen.length === names.length) await rmdir(shelf)
    return chosen.length
  }

  #pathOf({ fileName, expiresAtSeconds }: AssetPlace): string {
    return join(this.#path, shelfOf(expiresAtSeconds), fileName)
  }
}

async function writePrivate(path: string, content: Uint8Array): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(content)
  } finally {
    await handle.close()
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
