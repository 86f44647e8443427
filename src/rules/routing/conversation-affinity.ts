import { AgingMap } from '../../vocabulary/runtime/aging-map.ts'
import type { RoutingSettings } from './routing-settings.ts'

/** The credential that answered a conversation. */
export interface Pin {
  readonly supplierId: string
  readonly credentialId: string
}

interface KeptPin extends Pin {
  readonly expiresAtMs: number
}

/** Remembers which credential answers which conversation, bounded in time and number. */
export class ConversationAffinity {
  readonly #settings: RoutingSettings
  /** Least recently answered first. */
  readonly #pins = new AgingMap<string, KeptPin>()

  constructor(settings: RoutingSettings) {
    this.#settings = settings
  }

  get size(): number {
    return this.#pins.size
  }

  recall(conversation: string, nowMs: number): Pin | null {
    const pin = this.#pins.get(conversation)
    return pin !== undefined && pin.expiresAtMs > nowMs ? pin : null
  }

  /** Whether the same pin was set recently. */
  isFresh(conversation: string, { supplierId, credentialId }: Pin, nowMs: number): boolean {
    const pin = this.#pins.get(conversation)
    if (pin?.supplierId !== supplierId || pin.credentialId !== credentialId) return false
    return pin.expiresAtMs - nowMs > this.#settings.conversationMs / 2
  }

  remember(conversation: string, { supplierId, credentialId }: Pin, nowMs: number): void {
    const expiresAtMs = nowMs + this.#settings.conversationMs
    this.#pins.renew(conversation, { supplierId, credentialId, expiresAtMs })
    for (let oldest = this.#pins.oldest; oldest !== null; oldest = this.#pins.oldest) {
      if (oldest.value.expiresAtMs > nowMs && this.#pins.size <= this.#settings.mostConversations) break
      this.#pins.delete(oldest.key)
    }
  }
}
