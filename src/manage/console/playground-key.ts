import { GatewayError } from '../../errors/gateway-error.ts'
import { type IssuedKey, KeyCreate } from '../../vocabulary/api-key.ts'
import type { PlaygroundKey } from '../../vocabulary/user.ts'
import type { ConsoleParts } from './parts.ts'

const LIFE_MS = 12 * 60 * 60 * 1_000
const NAME = 'Playground'

type Whose = Omit<PlaygroundKey, 'keyId'>

/** Gives out the keys of playgrounds, one to each user of an account, one after the other so that none gets two. */
export class PlaygroundKeys {
  readonly #parts: ConsoleParts
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: ConsoleParts) {
    this.#parts = parts
  }

  /** A fresh secret; the one before opens nothing any more. */
  issue(whose: Whose, actor: string): Promise<IssuedKey> {
    const issued = this.#last.then(() => this.#issue(whose, actor))
    this.#last = issued.catch(() => undefined)
    return issued
  }

  async #issue(whose: Whose, actor: string): Promise<IssuedKey> {
    const { storage, operations, clock } = this.#parts
    const expiresAtMs = clock.nowMs() + LIFE_MS
    const keyId = await storage.findPlaygroundKey(whose)
    const known = keyId === null ? undefined : this.#parts.snapshot().keys.get(keyId)
    if (known === undefined || known.state === 'revoked') {
      const made = await operations.createKey(
        whose.accountId,
        { ...KeyCreate.read({ name: NAME }), sharedFallback: true, expiresAtMs },
        actor,
      )
      await storage.savePlaygroundKey({ ...whose, keyId: made.id })
      return made
    }
    // Somebody has switched it off and meant it.
    if (known.state === 'disabled') {
      throw new GatewayError('permission_denied', 'The key of your playground is disabled; enable it first.')
    }
    await operations.changeKey(known.id, { expiresAtMs }, actor)
    return operations.rotateKey(known.id, 0, actor)
  }
}
