import type { RoutingOrder } from '../rules/routing/router.ts'
import type { Admission } from './admission.ts'
import type { Asking } from './admit.ts'
import type { Gateway } from './gateway.ts'

export interface AdmissionOrder extends RoutingOrder {
  /** What the turns of this conversation have in common, so that they can stay together; null: nothing is known. */
  readonly conversation: string | null
}

/** The candidates for a request, in the order in which to try them. */
export function orderFor(admission: Admission, gateway: Gateway): AdmissionOrder {
  const { asking } = admission
  const { model, routes } = asking.target
  const conversation = hasChoice(asking) ? conversationOf(asking) : null
  const order = gateway.router.order({
    modelId: model.id,
    routes,
    clientFormat: asking.protocol.name,
    conversation,
    promptTokens: admission.promptTokens,
    outputTokens: asking.request.facts.maxOutputTokens ?? USUAL_OUTPUT_TOKENS,
  })
  return { ...order, conversation }
}

// Only weighs input prices against output prices when a client sets no limit of its own.
const USUAL_OUTPUT_TOKENS = 512

function hasChoice({ target }: Asking): boolean {
  const { routes } = target
  return routes.length > 1 || (routes[0]?.credentials.length ?? 0) > 1
}

/** Headers in which agents name the session they are in. */
const SESSION_HEADERS = ['x-session-id', 'session_id', 'session-id', 'x-claude-code-session-id'] as const

/** An id for the conversation that says nothing about it, and that no other key shares. */
function conversationOf({ exchange, request, caller }: Asking): string | null {
  const name = sessionOf(exchange.headers) ?? request.conversationHint()
  if (name === null) return null
  return `${caller.key.id}:${Bun.hash(name).toString(36)}`
}

function sessionOf(headers: Headers): string | null {
  for (const name of SESSION_HEADERS) {
    const value = headers.get(name)
    if (value !== null && value !== '') return value
  }
  return null
}
