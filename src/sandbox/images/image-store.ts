/** Images that are handed out by URL, for suppliers whose answers contain no bytes. */
export interface ImageStore {
  /** Returns the name under which the image is kept. */
  keep(png: Uint8Array<ArrayBuffer>): string
  /** null when there is no such image, or it has expired. */
  find(name: string): Uint8Array<ArrayBuffer> | null
}

interface ImageStoreParts {
  readonly nowMs: () => number
  /** Must be impossible to guess, because the address needs no key. */
  readonly inventName: () => string
}

const KEPT_MS = 60 * 60 * 1000
const MAX_BYTES = 64 * 1024 * 1024
// A tiny image takes more memory for its entry than for its bytes.
const MAX_IMAGES = 4_096

interface KeptImage {
  readonly png: Uint8Array<ArrayBuffer>
  readonly keptAtMs: number
}

/** The oldest images make room for new ones. */
export function createImageStore({ nowMs, inventName }: ImageStoreParts): ImageStore {
  const images = new Map<string, KeptImage>()
  const names = new NameQueue()
  let bytes = 0
  const drop = (name: string, { png }: KeptImage) => {
    images.delete(name)
    bytes -= png.length
  }
  return {
    keep(png) {
      const name = inventName()
      images.set(name, { png, keptAtMs: nowMs() })
      bytes += png.length
      // The newest one stays even if it is too large for the store on its own.
      for (let oldest = names.oldest; oldest !== null; oldest = names.dropOldest()) {
        const image = images.get(oldest)
        if (image === undefined) continue
        const hasRoom = bytes <= MAX_BYTES && images.size <= MAX_IMAGES
        if (hasRoom && image.keptAtMs + KEPT_MS > nowMs()) break
        drop(oldest, image)
      }
      names.add(name)
      return name
    },
    find(name) {
      const image = images.get(name)
      if (image === undefined) return null
      if (image.keptAtMs + KEPT_MS > nowMs()) return image.png
      drop(name, image)
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

const ADDRESS = /^\/sandbox\/pictures\/([\w-]+)\.png$/

export function imageAddress(name: string): string {
  return `/sandbox/pictures/${name}.png`
}

/** Serves an image; null when the path is not an image address. No key is needed, because names cannot be guessed. */
export function serveImage(path: string, store: ImageStore): Response | null {
  const name = ADDRESS.exec(path)?.[1]
  if (name === undefined) return null
  const png = store.find(name)
  if (png === null) return new Response(null, { status: 404 })
  return new Response(png, { headers: { 'content-type': 'image/png' } })
}
