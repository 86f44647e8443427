import { mkdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { refusals } from './refusals.ts'

/** Temporary storage for uploads. All together take no more than a given room, so that they cannot fill the disk. */
export class UploadFolder {
  readonly #path: string
  readonly #maxBytes: number
  #heldBytes = 0

  private constructor(path: string, maxBytes: number) {
    this.#path = path
    this.#maxBytes = maxBytes
  }

  /** Nobody else uses the folder, so whatever lies in it was left by a process that ended in the middle. */
  static open(path: string, maxBytes: number): UploadFolder {
    rmSync(path, { recursive: true, force: true })
    mkdirSync(path, { recursive: true, mode: 0o700 })
    return new UploadFolder(path, maxBytes)
  }

  takeRoom(bytes: number): void {
    if (this.#heldBytes + bytes > this.#maxBytes) throw refusals.noSpace()
    this.#heldBytes += bytes
  }

  giveRoom(bytes: number): void {
    this.#heldBytes -= bytes
  }

  async create(): Promise<{ readonly path: string; readonly handle: FileHandle }> {
    const path = join(this.#path, crypto.randomUUID())
    return { path, handle: await open(path, 'wx', 0o600) }
  }

  async remove(path: string): Promise<void> {
    await rm(path, { force: true })
  }
}
