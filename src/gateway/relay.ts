import type { ClientRequest, Protocol } from '../protocols/protocol.ts'
import { type LanePlan, tryParse, type WholeReply } from './lane-plan.ts'

export interface RelayParts {
  readonly protocol: Protocol
  readonly request: ClientRequest
  readonly upstreamModel: string
  /** A whole reply to a request for a stream, told as the stream; null when it is no reply. */
  readonly unfoldReply: (text: string) => WholeReply | null
}

/**
 * The lane for a supplier that speaks the client's format: the client's bytes go out with only the model name
 * replaced, the supplier's bytes come back as they are, and a tap reads usage from them on the way.
 */
export function planRelay(parts: RelayParts): LanePlan {
  const { protocol, request } = parts
  return {
    supplierProtocol: protocol,
    body: request.relayBody(parts.upstreamModel),
    isStreamed: request.facts.stream,
    copies: 1,
    openTap: () => request.openTap(),
    readWhole: ([text = '']) => (request.facts.stream ? parts.unfoldReply(text) : readWhole(protocol, text)),
    dropped: [],
  }
}

export type MendingParts = Omit<RelayParts, 'unfoldReply'> & Pick<LanePlan, 'openTap' | 'readWhole'>

/** The same for a supplier whose answers its clients would stumble over: they are read by whoever knows how. */
export function planMending({ protocol, request, upstreamModel, ...reading }: MendingParts): LanePlan {
  return {
    supplierProtocol: protocol,
    body: request.relayBody(upstreamModel),
    isStreamed: request.facts.stream,
    copies: 1,
    ...reading,
    dropped: [],
  }
}

function readWhole(protocol: Protocol, text: string): WholeReply | null {
  const reply = tryParse(text)
  const facts = protocol.readReply(reply)
  if (facts === null) return null
  const body = protocol.patchReply?.(text, reply) ?? text
  // What is kept is what the client got.
  return { body, facts, reply: body === text ? reply : tryParse(body) }
}
