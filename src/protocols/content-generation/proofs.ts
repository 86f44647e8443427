import { isProofFor, type Proof, readProof, sealProof } from '../../conversation/proof.ts'

export const FORMAT = 'content-generation'

/** The value that tells a supplier to go without the signature of a call it did not make itself. */
export const NO_SIGNATURE_NEEDED = 'skip_thought_signature_validator'

/**
 * Stands on calls whose supplier signs nothing. Newer suppliers of this format refuse a call without a signature, so
 * when the client gives it back, it must show that the request cannot be relayed to one of them as it is.
 */
export const UNSIGNED_CALL: Proof = {
  origin: 'none',
  model: '',
  route: '',
  on: 'tool-call',
  value: '',
  itemId: null,
}

export interface Signed {
  readonly thoughtSignature?: string
}

/** A signature as a client sent it; null when it only says that there is none. */
export function decodeProof(signature: string | null | undefined, on: Proof['on']): Proof | null {
  if (!signature || signature === NO_SIGNATURE_NEEDED) return null
  const proof = readProof(signature, { format: FORMAT, on })
  return proof.origin === 'none' ? null : proof
}

/** What a client is shown: sealed, so that it comes back with all that is known of it. */
export function sealed(proof: Proof | null): Signed {
  return proof === null ? {} : { thoughtSignature: sealProof(proof) }
}

/** What a supplier is shown: its own signature, and nobody else's. */
export function restored(proof: Proof | null, route: string): Signed {
  if (proof === null || !isProofFor(proof, { format: FORMAT, route })) return {}
  return { thoughtSignature: proof.value }
}
