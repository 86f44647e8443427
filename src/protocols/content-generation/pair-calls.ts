import { createHash } from 'node:crypto'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { WireFunctionCall, WireFunctionResponse } from './schema.ts'

/** A call and its place among all calls of the conversation. */
export interface PlacedCall {
  readonly id: string
  readonly name: string
  readonly order: number
}

const ID_LENGTH = 24

/** An id for a call that came without one: the same for the same call, whenever the conversation is sent. */
export function callIdFor(...marks: readonly (string | number)[]): string {
  return `call_${createHash('sha256').update(JSON.stringify(marks)).digest('hex').slice(0, ID_LENGTH)}`
}

/** Tells which call each result answers. Clients may leave out the ids; then names and order decide. */
export class CallPairing {
  readonly #byId = new Map<string, PlacedCall>()
  readonly #waitingByName = new Map<string, PlacedCall[]>()
  #count = 0

  addCall({ id, name }: WireFunctionCall, place: string): PlacedCall {
    const call = { id: id || callIdFor(place, name), name, order: this.#count++ }
    this.#byId.set(call.id, call)
    const waiting = this.#waitingByName.get(name)
    if (waiting === undefined) this.#waitingByName.set(name, [call])
    else waiting.push(call)
    return call
  }

  /** The call that a result answers; `place` is where the result stands in the request. */
  findCall({ id, name }: WireFunctionResponse, place: string): PlacedCall {
    const call = (id ? this.#byId.get(id) : undefined) ?? this.#waitingByName.get(name)?.[0]
    if (call === undefined) {
      const message = `${place}.functionResponse answers no functionCall before it.`
      throw new GatewayError('invalid_request', message, { param: `${place}.functionResponse` })
    }
    const waiting = this.#waitingByName.get(call.name) ?? []
    const index = waiting.indexOf(call)
    if (index !== -1) waiting.splice(index, 1)
    return call
  }
}
