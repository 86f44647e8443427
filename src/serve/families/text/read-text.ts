import { GatewayError } from '../../../errors/gateway-error.ts'
import type { BodyRecorder } from '../../../manage/ports/console.ts'
import type { ClientRequest, Protocol, RequestAddress } from '../../../protocols/protocol.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import type { Caller, KeepReply } from '../../admission/prepared-request.ts'
import { isLargeBody, yieldLoop } from '../../yield-loop.ts'
import type { Gateway } from '../../gateway.ts'
import type { Exchange } from '../../ports/exchange.ts'
import { continueFrom, resolveReferences, type StateParts } from '../../reply-state.ts'

export interface Reading {
  readonly exchange: Exchange
  readonly request: ClientRequest
  /** Of the whole body, with what it continues from. */
  readonly bodyCharacters: number
  readonly keepReply?: KeepReply | undefined
  readonly bodies: BodyRecorder | null
}

export interface Reader {
  readonly exchange: Exchange
  readonly protocol: Protocol
  readonly gateway: Gateway
}

// A conversation grows with every reply that continues it; what goes out in one piece has to end somewhere.
const LONGEST_BODY_CHARACTERS = 64 * 1_024 * 1_024

/**
 * The body as a well-formed request of its format. It is parsed once; every later step uses what was read here. A
 * promise only for formats that may refer to what was stored before, and for large bodies.
 */
export function readRequest(
  text: string,
  caller: Caller,
  { exchange, protocol, gateway }: Reader,
): Reading | Promise<Reading> {
  const body = parseJson(text)
  const bodies = gateway.bodies.begin(caller.account.id, text)
  if (protocol.state === undefined) {
    if (isLargeBody(text.length)) return readLarge({ text, body }, { exchange, protocol, bodies })
    const request = protocol.readRequest(body, text, new ExchangeAddress(exchange))
    return { exchange, request, bodyCharacters: text.length, bodies }
  }
  const parts = { rules: protocol.state, caller, gateway, requestId: exchange.requestId }
  return readContinued({ text, body }, { exchange, protocol, bodies, parts })
}

interface ParsedBody {
  readonly text: string
  readonly body: unknown
}

interface Receiving {
  readonly exchange: Exchange
  readonly protocol: Protocol
  readonly bodies: BodyRecorder | null
}

/** Others come in before a large body is checked, and again before it goes on. */
async function readLarge(
  { text, body }: ParsedBody,
  { exchange, protocol, bodies }: Receiving,
): Promise<Reading> {
  await yieldLoop()
  const request = protocol.readRequest(body, text, new ExchangeAddress(exchange))
  await yieldLoop()
  return { exchange, request, bodyCharacters: text.length, bodies }
}

interface Continuing extends Receiving {
  readonly parts: StateParts
}

async function readContinued(
  own: ParsedBody,
  { exchange, protocol, bodies, parts }: Continuing,
): Promise<Reading> {
  const address = new ExchangeAddress(exchange)
  if (isLargeBody(own.text.length)) await yieldLoop()
  const resolved = await resolveReferences(own.body, parts)
  // What is wrong with the client's own body is said about that body, not about the one it is continued to.
  const ownText = resolved === own.body ? own.text : writeBody(resolved)
  const request = protocol.readRequest(resolved, ownText, address)
  if (isLargeBody(ownText.length)) await yieldLoop()
  const { body, keepReply } = await continueFrom(resolved, own.text.length, parts)
  if (body === resolved) return { exchange, request, bodyCharacters: ownText.length, keepReply, bodies }
  const text = writeBody(body)
  // Writing out a large history takes its time, and so does reading it.
  if (isLargeBody(text.length)) await yieldLoop()
  const continued = protocol.readRequest(body, text, address)
  if (isLargeBody(text.length)) await yieldLoop()
  return { exchange, request: continued, bodyCharacters: text.length, keepReply, bodies }
}

function writeBody(body: unknown): string {
  const text = JSON.stringify(body)
  if (text.length <= LONGEST_BODY_CHARACTERS) return text
  throw new GatewayError('request_too_large', 'The conversation that this request continues is too long.')
}

/** The query is worked out only for formats that look at it. */
export class ExchangeAddress implements RequestAddress {
  readonly #exchange: Exchange

  constructor(exchange: Exchange) {
    this.#exchange = exchange
  }

  get rest(): string {
    return this.#exchange.params['*'] ?? ''
  }

  get query(): URLSearchParams {
    return this.#exchange.query
  }
}
