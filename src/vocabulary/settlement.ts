import type { Usage, UsageProvenance } from '../conversation/usage.ts'
import type { NanoUsdt } from './money.ts'
import type { Format, Price } from './supply.ts'

export const OUTCOMES = ['completed', 'client_left', 'supplier_failed', 'refused', 'interrupted'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** `overtaken`: another candidate that was asked beside it answered first. */
export const ATTEMPT_RESULTS = ['answered', 'failed', 'refused', 'client_left', 'overtaken'] as const
export type AttemptResult = (typeof ATTEMPT_RESULTS)[number]

/** One try at one candidate, kept so that "why did it go there?" has an answer. */
export interface Attempt {
  readonly supplier: string
  readonly credentialId: string
  /** Why this candidate was chosen at this point. */
  readonly reason: string
  readonly result: AttemptResult
  readonly status: number | null
  /** What went wrong, safe to show an operator; null when it answered. */
  readonly failure: string | null
  readonly startedAtMs: number
  readonly firstByteMs: number | null
  /** Until it answered, failed or was called off; absent in records of earlier versions. */
  readonly durationMs?: number
}

/** The immutable record of one admitted request. */
export interface Settlement {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly model: string
  readonly supplier: string | null
  readonly credentialId: string | null
  readonly clientFormat: Format
  readonly supplierFormat: Format | null
  readonly stream: boolean
  readonly usage: Usage
  readonly provenance: UsageProvenance
  /** The price it was charged at; a later price change alters nothing. */
  readonly price: Price | null
  readonly amountNano: NanoUsdt
  readonly outcome: Outcome
  readonly attempts: readonly Attempt[]
  readonly startedAtMs: number
  readonly firstByteMs: number | null
  readonly durationMs: number
}

/** What is known of a request the moment it is admitted; the journal's open entry. */
export interface AdmissionRecord {
  readonly requestId: string
  readonly accountId: string
  readonly keyId: string
  readonly model: string
  readonly clientFormat: Format
  readonly stream: boolean
  readonly holdNano: NanoUsdt
  readonly startedAtMs: number
}
