import type { SupplierFailure } from '../../../../errors/supplier-failure.ts'
import type { ClientRequest, Protocol, StreamTap } from '../../../../protocols/protocol.ts'
import { type LanePlan, tryParse, type WholeReply } from './lane-plan.ts'

export interface RelayParts {
  readonly protocol: Protocol
  readonly request: ClientRequest
  readonly upstreamModel: string
}

/** Where the client's bytes go, and what is needed only when things do not go as usual. */
export interface RelayLane extends RelayParts {
  /** A whole reply to a request for a stream, told as the stream; null when it is no reply. */
  unfoldReply(text: string): WholeReply | null
  /** What to send instead of a plan that was refused; null when the complaint does not say. */
  mend(failure: SupplierFailure, refused: LanePlan): Promise<LanePlan | null>
}

/**
 * The lane for a supplier that speaks the client's format: the client's bytes go out with only the model name
 * replaced, the supplier's bytes come back as they are, and a tap reads usage from them on the way.
 */
export class RelayPlan implements LanePlan {
  readonly supplierProtocol: Protocol
  readonly body: string
  readonly isStreamed: boolean
  readonly copies = 1
  readonly dropped: readonly string[] = NOTHING
  readonly #lane: RelayLane

  constructor(lane: RelayLane) {
    this.supplierProtocol = lane.protocol
    this.body = lane.request.relayBody(lane.upstreamModel)
    this.isStreamed = lane.request.facts.stream
    this.#lane = lane
  }

  openTap(): StreamTap {
    return this.#lane.request.openTap()
  }

  readWhole([text = '']: readonly string[]): WholeReply | null {
    return this.isStreamed ? this.#lane.unfoldReply(text) : readWhole(this.#lane, text)
  }

  mend(failure: SupplierFailure): Promise<LanePlan | null> {
    return this.#lane.mend(failure, this)
  }
}

const NOTHING: readonly string[] = []

export type MendingParts = RelayParts & Pick<LanePlan, 'openTap' | 'readWhole'>

/** The same for a supplier whose answers its clients would stumble over: they are read by whoever knows how. */
export function planMending({ protocol, request, upstreamModel, ...reading }: MendingParts): LanePlan {
  return {
    supplierProtocol: protocol,
    body: request.relayBody(upstreamModel),
    isStreamed: request.facts.stream,
    copies: 1,
    ...reading,
    dropped: NOTHING,
  }
}

function readWhole({ protocol, request }: RelayParts, text: string): WholeReply | null {
  const reply = tryParse(text)
  const facts = protocol.readReply(reply)
  if (facts === null) return null
  const body = protocol.patchReply?.(text, reply, request.previousId) ?? text
  // What is kept is what the client got.
  return { body, facts, reply: body === text ? reply : tryParse(body) }
}
