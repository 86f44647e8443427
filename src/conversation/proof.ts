/**
 * A supplier's opaque signature over something it produced. It is worth something only to the supplier that made
 * it, so it carries where it is from; sent to another it would be refused, and is left out instead.
 */
export interface Proof {
  /** Name of the protocol whose supplier made it; `none` for thoughts that never had a signature. */
  readonly origin: string
  /** The upstream model and the route it came over; empty when the client's own format carried it unwrapped. */
  readonly model: string
  readonly route: string
  /** What it was attached to, so that it can be attached to the same thing again. */
  readonly on: 'thinking' | 'tool-call' | 'text'
  /** The supplier's own value, byte for byte. */
  readonly value: string
  /** The supplier's id of the thing, for formats that want it back. */
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

/** One opaque Base64 text that any client format can carry and hand back. */
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

// Base64 of `{"v":1,`; a cheap way to tell our envelopes from suppliers' own values, which are often very long.
const ENVELOPE_START = 'eyJ2IjoxL'

/**
 * Whether a body may carry envelopes of ours: a supplier of the client's own format would refuse them, so such a
 * body cannot be relayed. A text that only looks like one costs a translation and nothing else.
 */
export function mayCarryEnvelope(text: string): boolean {
  return text.includes(ENVELOPE_START)
}

/** null when the text is not one of our envelopes but a supplier's own value. */
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

// The text came from a client, who may have made it up.
function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isPlace(value: unknown): value is Proof['on'] {
  return value === 'thinking' || value === 'tool-call' || value === 'text'
}

/** A proof as a client of its own format sent it: opened when it is ours, taken as it is when it is not. */
export function readProof(sent: string, own: { readonly format: string; readonly on: Proof['on'] }): Proof {
  return (
    openProof(sent) ?? { origin: own.format, model: '', route: '', on: own.on, value: sent, itemId: null }
  )
}

/** Whether a supplier reached over this route would accept the proof. */
export function isProofFor(
  proof: Proof,
  target: { readonly format: string; readonly route: string },
): boolean {
  return proof.origin === target.format && (proof.route === '' || proof.route === target.route)
}
