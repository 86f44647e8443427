import { mkdirSync, rmSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { refusals } from './refusals.ts'

/** Temporary storage for uploads, limited in total size so that uploads cannot fill the disk. */
export class UploadFolder {
  readonly #path: string
  readonly #maxBytes: number
  #heldBytes = 0

  private constructor(path: string, maxBytes: number) {
    this.#path = path
    this.#maxBytes = maxBytes
  }

  /** Deletes leftovers of a crashed process first; no other process uses the folder. */
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

// Smaller files are cheaper to keep in memory than on disk.
const MEMORY_BYTES = 64 * 1024

/** The content of one uploaded file, in memory or on disk. */
export class HeldFile {
  readonly #folder: UploadFolder
  readonly #hold: (bytes: number) => void
  #pieces: Uint8Array<ArrayBuffer>[] = []
  #file: { readonly path: string; readonly handle: FileHandle } | null = null
  #bytes = 0
  #isOpen = false
  #isDiscarded = false

  /** `hold` counts bytes kept in memory, and throws when there is no room for them. */
  constructor(folder: UploadFolder, hold: (bytes: number) => void) {
    this.#folder = folder
    this.#hold = hold
  }

  get bytes(): number {
    return this.#bytes
  }

  async write(piece: Uint8Array): Promise<void> {
    this.#folder.takeRoom(piece.length)
    this.#bytes += piece.length
    if (this.#file === null && this.#bytes <= MEMORY_BYTES) {
      this.#hold(piece.length)
      // A copy, because a view of a few bytes would keep the whole chunk in memory.
      this.#pieces.push(new Uint8Array(piece))
      return
    }
    const handle = this.#file?.handle ?? (await this.#spill())
    await writeAll(handle, piece)
  }

  /** The content. A file on disk is not loaded until it is read. */
  async finish(mediaType: string): Promise<Blob> {
    if (this.#file === null) return new Blob(this.#pieces, { type: mediaType })
    await this.#close()
    return Bun.file(this.#file.path, { type: mediaType })
  }

  /** Call it after the last write has ended. A second call does nothing. */
  async discard(): Promise<void> {
    if (this.#isDiscarded) return
    this.#isDiscarded = true
    this.#pieces = []
    this.#folder.giveRoom(this.#bytes)
    if (this.#file === null) return
    try {
      await this.#close()
    } finally {
      await this.#folder.remove(this.#file.path)
    }
  }

  async #spill(): Promise<FileHandle> {
    this.#file = await this.#folder.create()
    this.#isOpen = true
    const pieces = this.#pieces
    this.#pieces = []
    for (const piece of pieces) await writeAll(this.#file.handle, piece)
    return this.#file.handle
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await this.#file?.handle.close()
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  let written = 0
  while (written < bytes.length) written += (await handle.write(bytes, written)).bytesWritten
}
