import type { Asset, AssetStore } from '../../serve/ports/assets.ts'
import type { Clock } from '../../vocabulary/clock.ts'
import { choosePlace, readAddress, writeAddress } from './asset-address.ts'
import type { AssetFiles } from './asset-files.ts'

export interface SignedAssetsOptions {
  readonly files: AssetFiles
  readonly key: Uint8Array
  readonly lifetimeMs: number
  readonly clock: Clock
}

/** Assets behind addresses that are signed, so that nobody is sent looking for what was never given out. */
export class SignedAssets implements AssetStore {
  readonly #options: SignedAssetsOptions

  constructor(options: SignedAssetsOptions) {
    this.#options = options
  }

  async save(content: Uint8Array, mediaType: string) {
    const { files, key, lifetimeMs, clock } = this.#options
    const place = choosePlace(mediaType, clock.nowMs() + lifetimeMs)
    await files.write(place, content)
    return { path: writeAddress(place, key), expiresAtMs: place.expiresAtSeconds * 1_000 }
  }

  async find(name: string, query: URLSearchParams): Promise<Asset | null> {
    const { files, key, clock } = this.#options
    const place = readAddress(name, query, key)
    if (place === null) return null
    const expiresAtMs = place.expiresAtSeconds * 1_000
    if (clock.nowMs() >= expiresAtMs) return null
    const stored = await files.open(place)
    return stored && { ...stored, mediaType: place.mediaType, expiresAtMs }
  }

  deleteExpired(nowMs: number, atMost: number): Promise<number> {
    return this.#options.files.deleteOver(nowMs, atMost)
  }
}
