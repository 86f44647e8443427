import { GatewayError } from '../../errors/gateway-error.ts'
import type { WireFunctionCall, WireFunctionResponse } from './request/schema.ts'

/** A call and its place among all calls of the conversation. */
export interface PlacedCall {
  readonly id: string
  readonly name: string
  readonly order: number
}

/** The calls of one name; those before `first` are answered, and some of those after it may be. */
interface WaitingCalls {
  readonly calls: PlacedCall[]
  first: number
}

const ID_LENGTH = 24

/** An id for a call that came without one: the same for the same call, whenever the conversation is sent. */
export function callIdFor(...marks: readonly (string | number)[]): string {
  return `call_${Bun.CryptoHasher.hash('sha256', JSON.stringify(marks), 'hex').slice(0, ID_LENGTH)}`
}

/** Tells which call each result answers. Clients may leave out the ids; then names and order decide. */
export class CallPairing {
  readonly #byId = new Map<string, PlacedCall>()
  readonly #waitingByName = new Map<string, WaitingCalls>()
  readonly #answered = new Set<PlacedCall>()
  #count = 0

  addCall({ id, name }: WireFunctionCall, place: string): PlacedCall {
    const call = { id: id || callIdFor(place, name), name, order: this.#count++ }
    this.#byId.set(call.id, call)
    const waiting = this.#waitingByName.get(name)
    if (waiting === undefined) this.#waitingByName.set(name, { calls: [call], first: 0 })
    else waiting.calls.push(call)
    return call
  }

  /** The call that a result answers; `place` is where the result stands in the request. */
  findCall({ id, name }: WireFunctionResponse, place: string): PlacedCall {
    const call = (id ? this.#byId.get(id) : undefined) ?? this.#firstWaiting(name)
    if (call === undefined) {
      const message = `${place}.functionResponse answers no functionCall before it.`
      throw new GatewayError('invalid_request', message, { param: `${place}.functionResponse` })
    }
    this.#answered.add(call)
    return call
  }

  #firstWaiting(name: string): PlacedCall | undefined {
    const waiting = this.#waitingByName.get(name)
    if (waiting === undefined) return undefined
    let call = waiting.calls[waiting.first]
    while (call !== undefined && this.#answered.has(call)) call = waiting.calls[++waiting.first]
    return call
  }
}
