/** Pictures that are handed out by address, as suppliers do that give no bytes in their answers. */
export interface PictureStore {
  /** The name to ask for it by. */
  keep(png: Uint8Array<ArrayBuffer>): string
  /** null when there is none of this name, or none any more. */
  find(name: string): Uint8Array<ArrayBuffer> | null
}

export interface PictureStoreParts {
  readonly nowMs: () => number
  /** Nobody may guess a name, because no key is asked for with it. */
  readonly inventName: () => string
}

const KEPT_MS = 60 * 60 * 1000
const MOST_BYTES = 64 * 1024 * 1024

interface KeptPicture {
  readonly png: Uint8Array<ArrayBuffer>
  readonly keptAtMs: number
}

/** The oldest pictures make room for new ones. */
export function createPictureStore({ nowMs, inventName }: PictureStoreParts): PictureStore {
  const pictures = new Map<string, KeptPicture>()
  const names = new NameQueue()
  let bytes = 0
  const drop = (name: string, { png }: KeptPicture) => {
    pictures.delete(name)
    bytes -= png.length
  }
  return {
    keep(png) {
      const name = inventName()
      pictures.set(name, { png, keptAtMs: nowMs() })
      bytes += png.length
      // The newest one stays even if it is too large for the store on its own.
      for (let oldest = names.oldest; oldest !== null; oldest = names.dropOldest()) {
        const picture = pictures.get(oldest)
        if (picture === undefined) continue
        if (bytes <= MOST_BYTES && picture.keptAtMs + KEPT_MS > nowMs()) break
        drop(oldest, picture)
      }
      names.add(name)
      return name
    },
    find(name) {
      const picture = pictures.get(name)
      if (picture === undefined) return null
      if (picture.keptAtMs + KEPT_MS > nowMs()) return picture.png
      drop(name, picture)
      return null
    },
  }
}

/** In the order in which they were added. A Map would walk over all that was deleted from it to find its first entry. */
class NameQueue {
  #names: string[] = []
  #first = 0

  get oldest(): string | null {
    return this.#names[this.#first] ?? null
  }

  add(name: string): void {
    this.#names.push(name)
  }

  /** Gives the next one. */
  dropOldest(): string | null {
    this.#first += 1
    if (this.#first * 2 > this.#names.length) {
      this.#names = this.#names.slice(this.#first)
      this.#first = 0
    }
    return this.oldest
  }
}
