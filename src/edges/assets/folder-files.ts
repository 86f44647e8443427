import { mkdirSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type AssetFiles, type AssetReference, folderOf, hasExpired, type StoredFile } from './asset-files.ts'

/** Assets in a folder on this node's disk. */
export class FolderFiles implements AssetFiles {
  readonly #path: string

  constructor(path: string) {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    this.#path = path
  }

  async write(reference: AssetReference, content: Uint8Array): Promise<void> {
    const path = this.#pathOf(reference)
    await mkdir(join(this.#path, folderOf(reference.expiresAtSeconds)), { recursive: true, mode: 0o700 })
    // No URL can name this file. One that a crash leaves behind is deleted with its folder.
    const draft = `${path}.draft`
    try {
      await writePrivate(draft, content)
      await rename(draft, path)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
  }

  async open(reference: AssetReference): Promise<StoredFile | null> {
    const path = this.#pathOf(reference)
    try {
      const { size } = await stat(path)
      return { bytes: size, content: Bun.file(path, { type: reference.mediaType }) }
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }

  async deleteExpired(nowMs: number, maxCount: number): Promise<number> {
    const folders = await readdir(this.#path)
    let deleted = 0
    for (const folder of folders.filter((name) => hasExpired(name, nowMs)).sort()) {
      if (deleted < maxCount) deleted += await this.#clear(join(this.#path, folder), maxCount - deleted)
    }
    return deleted
  }

  /** Nothing is written to an expired folder, so an empty one can be removed. */
  async #clear(folder: string, maxCount: number): Promise<number> {
    const names = await readdir(folder)
    const chosen = names.slice(0, maxCount)
    for (const name of chosen) await rm(join(folder, name), { force: true })
    if (chosen.length === names.length) await rmdir(folder)
    return chosen.length
  }

  #pathOf({ fileName, expiresAtSeconds }: AssetReference): string {
    return join(this.#path, folderOf(expiresAtSeconds), fileName)
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
