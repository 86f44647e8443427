import { GatewayError } from '../errors/gateway-error.ts'
import type { ClientRequest, Protocol, RequestAddress } from '../protocols/protocol.ts'
import { parseJson } from '../wire/parse-json.ts'
import type { Caller } from './authenticate.ts'
import type { Gateway } from './gateway.ts'
import type { BodyRecorder } from './ports/console.ts'
import type { Exchange } from './ports/exchange.ts'
import { continueFrom, type KeepReply, resolveReferences, type StateParts } from './reply-state.ts'

export interface Reading {
  readonly exchange: Exchange
  readonly request: ClientRequest
  readonly keepReply?: KeepReply | undefined
  readonly bodies: BodyRecorder | null
}

export interface Reader {
  readonly exchange: Exchange
  readonly protocol: Protocol
  readonly gateway: Gateway
}

const LARGE_BODY_CHARACTERS = 1_024 * 1_024
// A conversation grows with every reply that continues it; what goes out in one piece has to end somewhere.
const LONGEST_BODY_CHARACTERS = 64 * 1_024 * 1_024

/**
 * The body as a well-formed request of its format. It is parsed once; every later step uses what was read here. A
 * promise only for formats that may refer to what was stored before.
 */
export function readRequest(
  text: string,
  caller: Caller,
  { exchange, protocol, gateway }: Reader,
): Reading | Promise<Reading> {
  const body = parseJson(text)
  const bodies = gateway.bodies.begin(caller.account.id, text)
  if (protocol.state === undefined) {
    return { exchange, request: protocol.readRequest(body, text, new ExchangeAddress(exchange)), bodies }
  }
  const parts = { rules: protocol.state, caller, gateway, requestId: exchange.requestId }
  return readContinued({ text, body }, { exchange, protocol, bodies, parts })
}

interface Continuing {
  readonly exchange: Exchange
  readonly protocol: Protocol
  readonly bodies: BodyRecorder | null
  readonly parts: StateParts
}

async function readContinued(
  own: { readonly text: string; readonly body: unknown },
  { exchange, protocol, bodies, parts }: Continuing,
): Promise<Reading> {
  const address = new ExchangeAddress(exchange)
  const resolved = await resolveReferences(own.body, parts)
  // What is wrong with the client's own body is said about that body, not about the one it is continued to.
  const ownText = resolved === own.body ? own.text : writeBody(resolved)
  const request = protocol.readRequest(resolved, ownText, address)
  const { body, keepReply } = await continueFrom(resolved, own.text.length, parts)
  if (body === resolved) return { exchange, request, keepReply, bodies }
  const text = writeBody(body)
  // Writing out a large history takes its time, and so does reading it: others come in between.
  if (text.length > LARGE_BODY_CHARACTERS) await new Promise((resolve) => setImmediate(resolve))
  return { exchange, request: protocol.readRequest(body, text, address), keepReply, bodies }
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
