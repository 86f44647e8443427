import type { TextFormat } from './talk.ts'

/** Whether a request to a supplier of this format gives back a signature the supplier made. */
export function carriesProof(supplier: TextFormat, body: unknown): boolean {
  switch (supplier) {
    // There is no signature in this format.
    case 'chat-completion':
      return true
    case 'responses':
      return finds(body, (holder) => holder.type === 'reasoning' && isSignature(holder.encrypted_content))
    case 'messages':
      return finds(body, (holder) => holder.type === 'thinking' && isSignature(holder.signature))
    case 'content-generation':
      return finds(body, (holder) => isSignature(holder.thoughtSignature))
  }
}

const ESCAPE = 'skip_thought_signature_validator'

function isSignature(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value !== ESCAPE
}

function finds(value: unknown, matches: (holder: Record<string, unknown>) => boolean): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (!Array.isArray(value) && matches(value as Record<string, unknown>)) return true
  return Object.values(value).some((inner) => finds(inner, matches))
}
