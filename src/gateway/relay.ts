import type { SupplierFailure } from '../errors/supplier-failure.ts'
import type { ClientRequest, Protocol, StreamTap } from '../protocols/protocol.ts'
import type { CallTarget } from '../suppliers/supplier-type.ts'
import type { Answer } from './answer.ts'
import type { CallSupplier } from './ports/supplier-call.ts'
import { SupplierPatience } from './supplier-patience.ts'
import { failureOf, malformed, retryAfterSecondsOf } from './supplier-trouble.ts'

export interface RelayCall {
  readonly protocol: Protocol
  readonly request: ClientRequest
  readonly upstreamModel: string
  readonly target: CallTarget
  readonly callSupplier: CallSupplier
  readonly clientSignal: AbortSignal
  readonly firstByteMs: number
}

/**
 * The lane for a supplier that speaks the client's format: the client's bytes go out with only the model name
 * replaced, the supplier's bytes come back as they are, and a tap reads usage from them on the way.
 */
export async function relay(call: RelayCall): Promise<Answer> {
  const patience = new SupplierPatience(call.clientSignal, call.firstByteMs)
  try {
    const response = await call.callSupplier({
      url: call.target.url,
      headers: call.target.headers,
      body: call.request.relayBody(call.upstreamModel),
      signal: patience.signal,
    })
    if (!response.ok) return { type: 'failed', failure: await readFailure(call.protocol, response) }
    if (call.request.facts.stream) return await openStream(call, response, patience)
    return readWhole(call.protocol, await response.text())
  } catch (error) {
    if (patience.hasClientLeft) return { type: 'client-left' }
    return { type: 'failed', failure: failureOf(error, patience.hasTimedOut) }
  } finally {
    patience.rest()
  }
}

function readWhole(protocol: Protocol, body: string): Answer {
  const facts = readFacts(protocol, body)
  if (facts === null) return { type: 'failed', failure: malformed('The reply is not of its format.') }
  return { type: 'whole', body, facts }
}

function readFacts(protocol: Protocol, body: string) {
  try {
    return protocol.readReply(JSON.parse(body))
  } catch {
    return null
  }
}

/** Reads until the first event a client can use: up to here every failure can still become a plain error. */
async function openStream(call: RelayCall, response: Response, patience: SupplierPatience): Promise<Answer> {
  const isEventStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false
  if (!isEventStream || response.body === null) {
    patience.abort()
    return { type: 'failed', failure: malformed('A stream was asked for and something else came.') }
  }
  const tap = call.request.openTap()
  const reader = response.body.getReader()
  const first: Uint8Array[] = []
  while (!tap.hasContent) {
    const { done, value } = await reader.read()
    const bytes = done ? tap.end() : tap.push(value)
    if (bytes !== null) first.push(bytes)
    const failure = done && !tap.hasContent ? emptyStream(tap) : tap.failure
    if (failure !== null) {
      patience.abort()
      return { type: 'failed', failure }
    }
  }
  return { type: 'stream', stream: { tap, reader, first, abort: () => patience.abort() } }
}

function emptyStream(tap: StreamTap): SupplierFailure {
  return tap.failure ?? malformed('The stream ended before anything was said.')
}

async function readFailure(protocol: Protocol, response: Response): Promise<SupplierFailure> {
  const failure = protocol.decodeError(response.status, await response.text())
  return { ...failure, retryAfterSeconds: failure.retryAfterSeconds ?? retryAfterSecondsOf(response.headers) }
}
