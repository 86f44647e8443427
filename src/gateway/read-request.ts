import { GatewayError } from '../errors/gateway-error.ts'
import type { ClientRequest, Protocol, RequestAddress } from '../protocols/protocol.ts'
import { parseJson } from '../wire/parse-json.ts'
import type { Caller } from './authenticate.ts'
import type { Gateway } from './gateway.ts'
import type { BodyRecorder } from './ports/console.ts'
import type { Exchange } from './ports/exchange.ts'
import { continueFrom, resolveReferences } from './reply-state.ts'

export interface Reading {
  readonly request: ClientRequest
  readonly keepReply?: (reply: unknown) => Promise<void>
  readonly bodies: BodyRecorder | null
}

export interface Reader {
  readonly protocol: Protocol
  readonly caller: Caller
  readonly gateway: Gateway
}

// A conversation grows with every reply that continues it; what goes out in one piece has to end somewhere.
const LONGEST_BODY_CHARACTERS = 64 * 1_024 * 1_024

/** The body as a well-formed request of its format. It is parsed once; every later step uses what was read here. */
export async function readRequest(
  exchange: Exchange,
  { protocol, caller, gateway }: Reader,
): Promise<Reading> {
  const text = await exchange.readText()
  const parsed = parseJson(text)
  const address = addressOf(exchange)
  const read = (body: unknown) =>
    protocol.readRequest(body, body === parsed ? text : writeBody(body), address)
  const bodies = gateway.bodies.begin(caller.account.id, text)
  if (protocol.state === undefined) return { request: read(parsed), bodies }
  const parts = { rules: protocol.state, caller, gateway, requestId: exchange.requestId }
  const resolved = await resolveReferences(parsed, parts)
  // What is wrong with the client's own body is said about that body, not about the one it is continued to.
  const own = read(resolved)
  const { body, ...keeping } = await continueFrom(resolved, parts)
  return { request: body === resolved ? own : read(body), bodies, ...keeping }
}

function writeBody(body: unknown): string {
  const text = JSON.stringify(body)
  if (text.length <= LONGEST_BODY_CHARACTERS) return text
  throw new GatewayError('request_too_large', 'The conversation that this request continues is too long.')
}

/** The query is worked out only for formats that look at it. */
export function addressOf(exchange: Exchange): RequestAddress {
  return {
    rest: exchange.params['*'] ?? '',
    get query() {
      return exchange.query
    },
  }
}
