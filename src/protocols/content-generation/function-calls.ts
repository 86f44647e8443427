import type { ToolResultPart } from '../../conversation/part.ts'
import { GatewayError } from '../../errors/gateway-error.ts'
import { asObject, type JsonObject, tryParseJson } from '../../wire/json-values.ts'
import type { WireFunctionCall, WireFunctionResponse } from './request/schema.ts'

/** A call and its position among all calls of the conversation. */
interface PlacedCall {
  readonly id: string
  readonly name: string
  readonly order: number
}

/** The calls of one name. Those before `first` are answered; later ones may be. */
interface WaitingCalls {
  readonly calls: PlacedCall[]
  first: number
}

const ID_LENGTH = 24

/** An id for a call without one. Deterministic, so it is the same each time the conversation is sent. */
export function callIdFor(...marks: readonly (string | number)[]): string {
  return `call_${Bun.CryptoHasher.hash('sha256', JSON.stringify(marks), 'hex').slice(0, ID_LENGTH)}`
}

/** Matches results to calls by id, or by name and order when clients omit the ids. */
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

  /** The call that a result answers. `place` is the path of the result in the request. */
  findCall({ id, name }: WireFunctionResponse, place: string): PlacedCall {
    const call = (id ? this.#byId.get(id) : undefined) ?? this.#firstWaiting(name)
    if (call === undefined) {
      const message = `${place}.functionResponse matches no earlier functionCall.`
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

const WRAPPERS = ['output', 'result']

/** The outcome of a tool call as the client reports it. */
interface ToolOutcome {
  readonly value: unknown
  readonly isError: boolean
}

/** Unwraps a result from the object that this format requires. */
export function unwrapResult(response: JsonObject): ToolOutcome {
  const names = Object.keys(response)
  const { error } = response
  if (error !== undefined && error !== null && error !== false)
    return { value: names.length === 1 ? error : response, isError: true }
  return { value: isWrapped(response, names) ? response[innerName(names)] : response, isError: false }
}

function isWrapped(response: JsonObject, names: readonly string[]): boolean {
  if (names.length === 1) return WRAPPERS.includes(names[0] ?? '')
  // A widely used client sends the tool's name beside the content.
  return names.length === 2 && typeof response.name === 'string' && names.includes('content')
}

function innerName(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? '') : 'content'
}

/** Wraps a result in an object. An object is sent as is, unless it looks like a wrapper. */
export function wrapResult({ parts, isError }: ToolResultPart): JsonObject {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  if (isError) return { error: text }
  const value = parseObject(text)
  if (value === null) return { output: text }
  const outcome = unwrapResult(value)
  return outcome.value === value && !outcome.isError ? value : { output: text }
}

/** Shorter texts cannot nest too deeply to serialize. */
const SURELY_SHALLOW = 8_000

/** The value as compact JSON; null when it nests too deeply to serialize. */
export function writeJson(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null
  } catch (error) {
    if (error instanceof RangeError) return null
    throw error
  }
}

/** Parses a JSON object; null for anything else, or when it nests too deeply to serialize. */
export function parseObject(text: string): JsonObject | null {
  if (!text.trimStart().startsWith('{')) return null
  const value = asObject(tryParseJson(text))
  if (value === null || text.length <= SURELY_SHALLOW) return value
  return writeJson(value) === null ? null : value
}
