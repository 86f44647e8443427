import { protocolOf } from '../protocols/index.ts'
import type { ClientRequest, Protocol } from '../protocols/protocol.ts'
import type { ClientSide, SupplierSide } from '../protocols/translation.ts'
import type { EligibleRoute } from '../rules/routing/eligible-routes.ts'

/**
 * How bytes travel between client and supplier.
 * - `relay`: the supplier's bytes reach the client untouched; a tap reads usage from a copy.
 * - `translate`: both directions pass through the neutral conversation.
 */
export type Lane =
  | { readonly type: 'relay' }
  | {
      readonly type: 'translate'
      readonly client: ClientSide
      readonly protocol: Protocol
      readonly supplier: SupplierSide
    }

/** null when no lane leads from what the client speaks to anything the supplier speaks. */
export function chooseLane(protocol: Protocol, request: ClientRequest, route: EligibleRoute): Lane | null {
  const speaksSame = route.formats.includes(protocol.name)
  if (speaksSame && request.isRelayable !== false) return { type: 'relay' }
  if (request.client === undefined) return null
  // The supplier's formats are in its operator's order of preference.
  const formats = speaksSame ? [protocol.name] : route.formats
  for (const format of formats) {
    const other = protocolOf(format)
    if (other?.supplier !== undefined) {
      return { type: 'translate', client: request.client, protocol: other, supplier: other.supplier }
    }
  }
  return null
}
