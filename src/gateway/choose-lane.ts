import { protocolOf } from '../protocols/index.ts'
import type { ClientRequest, Protocol } from '../protocols/protocol.ts'
import type { EligibleRoute } from '../rules/routing/eligible-routes.ts'

/**
 * How bytes travel between client and supplier.
 * - `relay`: the supplier's bytes reach the client untouched; a tap reads usage from a copy.
 * - `translate`: both directions pass through the neutral conversation.
 */
export type Lane =
  | { readonly type: 'relay' }
  /** `protocol` is what the supplier will be spoken to in. */
  | { readonly type: 'translate'; readonly protocol: Protocol }

/** null when no lane leads from what the client speaks to anything the supplier speaks. */
export function chooseLane(protocol: Protocol, request: ClientRequest, route: EligibleRoute): Lane | null {
  const speaksSame = route.formats.includes(protocol.name)
  if (speaksSame && request.isRelayable !== false) return { type: 'relay' }
  // The supplier's formats are in its operator's order of preference.
  const formats = speaksSame ? [protocol.name] : route.formats
  for (const format of formats) {
    const other = protocolOf(format)
    if (other !== undefined) return { type: 'translate', protocol: other }
  }
  return null
}
