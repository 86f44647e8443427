import type { Protocol, ReplyFacts, StreamTap } from '../protocols/protocol.ts'

/** A whole answer ready for the client. */
export interface WholeReply {
  readonly body: string
  readonly facts: ReplyFacts
  /** The answer as an object of the client's format, for stories that keep it; absent when nobody asked. */
  readonly reply?: unknown
}

/** What to send to a supplier and how to read what comes back: the one thing in which lanes differ. */
export interface LanePlan {
  /** The format the supplier speaks. */
  readonly supplierProtocol: Protocol
  readonly body: string
  /** Whether the supplier is asked for a stream. */
  readonly isStreamed: boolean
  /** How many times to ask, for formats that give one answer at a time. */
  readonly copies: number
  openTap(): StreamTap
  /** Reads the supplier's whole replies, one for each copy; null when one is not a reply of its format. */
  readWhole(replies: readonly string[]): WholeReply | null
  /** Client parameters the supplier's format cannot express. */
  readonly dropped: readonly string[]
}

/** Text as JSON, or null: what a supplier sends is not always what it should be. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
