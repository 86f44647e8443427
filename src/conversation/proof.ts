/**
 * A supplier's opaque signature over something it produced. Only that supplier accepts it, so a proof records where it
 * comes from and is left out for other suppliers.
 */
export interface Proof {
  /** Name of the protocol whose supplier made it; `none` for thoughts that never had a signature. */
  readonly origin: string
  /** The upstream model and the route it came over; empty when the client's own format carried it unwrapped. */
  readonly model: string
  readonly route: string
  /** What it was attached to, to attach it there again. */
  readonly on: 'thinking' | 'tool-call' | 'text'
  /** The supplier's own value, byte for byte. */
  readonly value: string
  /** The supplier's id of the signed item, for formats that need it back. */
  readonly itemId: string | null
}

interface Envelope {
  readonly v: 1
  readonly p: string
  readonly m: string
  readonly k: string
  readonly o: Proof['on']
  readonly s: string
  readonly i?: string
}

/** Wraps a proof as Base64 text that clients of any format can store and send back. */
export function sealProof(proof: Proof): string {
  const envelope: Envelope = {
    v: 1,
    p: proof.origin,
    m: proof.model,
    k: proof.route,
    o: proof.on,
    s: proof.value,
    ...(proof.itemId !== null && { i: proof.itemId }),
  }
  return Buffer.from(JSON.stringify(envelope)).toString('base64')
}

// Base64 of `{"v":1,`: a cheap way to distinguish our envelopes from suppliers' values, which are often very long.
const ENVELOPE_START = 'eyJ2IjoxL'

/**
 * True when a body may contain our envelopes. Suppliers would refuse them, so such a body cannot be relayed. A false
 * positive only costs a translation.
 */
export function mayCarryEnvelope(text: string): boolean {
  return text.includes(ENVELOPE_START)
}

/** Returns null when the text is a supplier's value and not one of our envelopes. */
export function openProof(sealed: string): Proof | null {
  if (!sealed.startsWith(ENVELOPE_START)) return null
  try {
    const {
      p,
      m = '',
      k = '',
      o,
      s,
      i = null,
    }: Partial<Record<keyof Envelope, unknown>> = JSON.parse(Buffer.from(sealed, 'base64').toString('utf8'))
    if (!isText(p) || !isText(m) || !isText(k) || !isText(s) || !isPlace(o)) return null
    return i === null || isText(i) ? { origin: p, model: m, route: k, on: o, value: s, itemId: i } : null
  } catch {
    return null
  }
}

// The text comes from a client, so its content cannot be trusted.
function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isPlace(value: unknown): value is Proof['on'] {
  return value === 'thinking' || value === 'tool-call' || value === 'text'
}

/** Reads a proof that a client sent: unwraps our envelope, or keeps a supplier's value as it is. */
export function readProof(sent: string, own: { readonly format: string; readonly on: Proof['on'] }): Proof {
  return (
    openProof(sent) ?? { origin: own.format, model: '', route: '', on: own.on, value: sent, itemId: null }
  )
}

/** True when the supplier of this route accepts the proof. */
export function isProofFor(
  proof: Proof,
  target: { readonly format: string; readonly route: string },
): boolean {
  return proof.origin === target.format && (proof.route === '' || proof.route === target.route)
}
