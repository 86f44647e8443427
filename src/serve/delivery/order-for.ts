import type { RoutingOrder } from '../../rules/routing/router.ts'
import type { Admission } from '../admission/admission.ts'
import type { Gateway } from '../gateway.ts'

/** The candidates for a request, in the order in which to try them. */
export function orderFor(admission: Admission, gateway: Gateway): RoutingOrder {
  const { prepared } = admission
  const { model, routes } = prepared.target
  return gateway.router.order({
    modelId: model.id,
    routes,
    clientFormat: prepared.protocol.name,
    conversation: admission.conversation,
    promptTokens: admission.promptTokens,
    outputTokens: prepared.request.facts.maxOutputTokens ?? USUAL_OUTPUT_TOKENS,
  })
}

// Only weighs input prices against output prices when a client sets no limit of its own.
const USUAL_OUTPUT_TOKENS = 512
