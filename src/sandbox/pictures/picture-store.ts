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
      for (const [oldest, picture] of pictures) {
        if (bytes <= MOST_BYTES && picture.keptAtMs + KEPT_MS > nowMs()) break
        // The newest one stays even if it is too large for the store on its own.
        if (oldest !== name) drop(oldest, picture)
      }
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
