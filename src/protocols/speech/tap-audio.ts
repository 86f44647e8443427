import type { Usage } from '../../conversation/usage.ts'
import type { SupplierFailure } from '../../errors/supplier-failure.ts'
import { AudioScan } from '../../wire/audio/audio-scan.ts'
import type { StreamTap } from '../protocol.ts'

/** What is known of audio that was spoken. */
export interface SpokenAudio {
  readonly bytes: number
  /** By its own headers; null when they do not say, or it has none. */
  readonly durationMs: number | null
}

/** Passes audio on as it arrives. It has no last event: it is complete when the supplier ends its response. */
export class AudioTap implements StreamTap {
  hasContent = false
  readonly isTerminated = false
  isComplete = false
  readonly failure: SupplierFailure | null = null
  readonly usage: Usage | null = null
  readonly outputCharacters = 0
  readonly contentType: string
  readonly #countUsage: (audio: SpokenAudio) => Usage
  readonly #scan = new AudioScan()
  #bytes = 0

  constructor(contentType: string, countUsage: (audio: SpokenAudio) => Usage) {
    this.contentType = contentType
    this.#countUsage = countUsage
  }

  get ownCount(): Usage {
    return this.#countUsage({ bytes: this.#bytes, durationMs: this.#scan.facts.durationMs })
  }

  push(bytes: Uint8Array): Uint8Array | null {
    if (bytes.length === 0) return null
    this.hasContent = true
    this.#bytes += bytes.length
    this.#scan.push(bytes)
    return bytes
  }

  end(isBroken = false): null {
    this.isComplete = this.hasContent && !isBroken
    return null
  }

  /** Nothing can be said within audio; the connection breaks off instead. */
  fail(): string {
    return ''
  }
}
