import type { World } from './shared-world.ts'

/** A request that cost more than was held for it. */
interface EstimateError {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly nodeId: string
  readonly costNano: bigint
  readonly errorNano: bigint
}

/**
 * Errors of estimates that the limits store did not know when it last took a hold: of requests that were under way, and of
 * ended ones whose cost was not reported yet. Money may be overdrawn by these and by nothing else.
 */
export class ErrorsInFlight {
  readonly #world: World
  readonly #accountIds: readonly string[]
  /** By account and by key, since a hold on one key is no check of another. */
  readonly #byOwner = new Map<string, Set<EstimateError>>()
  readonly #heldNano = new Map<string, bigint>()

  constructor(world: World, accountIds: readonly string[]) {
    this.#world = world
    this.#accountIds = accountIds
  }

  add(error: EstimateError): void {
    if (error.errorNano <= 0n) return
    for (const owner of [error.accountId, error.keyId]) {
      const known = this.#byOwner.get(owner)
      if (known === undefined) this.#byOwner.set(owner, new Set([error]))
      else known.add(error)
    }
  }

  /** Of an account or a key. */
  sumNano(owner: string): bigint {
    let sumNano = 0n
    for (const { errorNano } of this.#byOwner.get(owner) ?? []) sumNano += errorNano
    return sumNano
  }

  /** The limits store has carried out a call. If it took a hold, there was room for all that it knew. */
  noteCall(name: string): void {
    for (const accountId of this.#accountIds) {
      const { money } = this.#world.hub.account(accountId)
      for (const owner of [accountId, `${accountId}:key_1`]) {
        const heldNano = owner === accountId ? money.heldNano : money.heldOn(owner)
        const isTaken = heldNano > (this.#heldNano.get(owner) ?? 0n) && (name === 'admit' || name === 'grow')
        this.#heldNano.set(owner, heldNano)
        if (isTaken) this.#forgetCounted(owner)
      }
    }
  }

  #forgetCounted(owner: string): void {
    for (const error of this.#byOwner.get(owner) ?? []) {
      const { money } = this.#world.hub.account(error.accountId)
      const heldNano = money.heldBy(error.nodeId, error.requestId)
      const isCounted =
        heldNano === null ? this.#world.storage.hasWritten(error.requestId) : heldNano >= error.costNano
      if (isCounted) this.#byOwner.get(owner)?.delete(error)
    }
  }
}
