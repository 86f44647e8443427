import type { ErrorEnvelope } from '../../../errors/render-error.ts'

interface DressedError extends ErrorEnvelope {
  readonly type: 'error'
  readonly request_id?: string
}

/** An error as clients of this format expect it. */
export function dressError(envelope: ErrorEnvelope, requestId?: string): DressedError {
  const dressed = { type: 'error', ...withToken(envelope) } as const
  return requestId === undefined ? dressed : { ...dressed, request_id: requestId }
}

/** The vendor's own words for these, by which agents know what to do next. They stay as they are. */
const VENDORS_WORDS = /prompt is too long|capability_rejected:/i

/** Names of capabilities that agents know, by our names of parameters. */
const CAPABILITIES: Readonly<Record<string, string>> = { reasoning: 'thinking', input_image: 'image' }

/**
 * Agents recover from an error by its wording: they shorten the conversation or repeat the request without the
 * capability. Where the words are not the vendor's, a token that they know takes their place.
 */
function withToken(envelope: ErrorEnvelope): ErrorEnvelope {
  const { error } = envelope
  switch (error.code) {
    case 'context_length_exceeded':
      return rejecting('prompt_too_long', envelope)
    case 'unsupported_parameter':
      return rejecting(CAPABILITIES[error.param ?? ''] ?? error.param ?? 'parameter', envelope)
    case 'provider_overloaded':
      // They look for this type, which is a code of ours in its usual place.
      return { error: { ...error, details: { type: 'overloaded_error', ...error.details } } }
    default:
      return envelope
  }
}

function rejecting(capability: string, envelope: ErrorEnvelope): ErrorEnvelope {
  const { error } = envelope
  if (VENDORS_WORDS.test(error.message)) return envelope
  return { error: { ...error, message: `${error.message} (capability_rejected: ${capability})` } }
}
