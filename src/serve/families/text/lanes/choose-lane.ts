import { protocolOf } from '../../../../protocols/index.ts'
import type { ClientRequest, Protocol } from '../../../../protocols/protocol.ts'
import type { EligibleRoute } from '../../../../rules/routing/eligible-routes.ts'
import { quirksOf } from '../../../../suppliers/index.ts'
import type { Quirks } from '../../../../suppliers/supplier-type.ts'

/**
 * How bytes travel between client and supplier.
 * - `relay`: the supplier's bytes reach the client untouched; a tap reads usage from a copy.
 * - `mend`: the client's bytes go out as in `relay`; the answer, which its clients would stumble over, is told anew.
 * - `translate`: both directions pass through the neutral conversation.
 */
export type Lane =
  | { readonly type: 'relay' }
  | { readonly type: 'mend' }
  /** `protocol` is what the supplier will be spoken to in. */
  | { readonly type: 'translate'; readonly protocol: Protocol }

const RELAY: Lane = { type: 'relay' }
const MEND: Lane = { type: 'mend' }

/** null when no lane leads from what the client speaks to anything the supplier speaks. */
export function chooseLane(protocol: Protocol, request: ClientRequest, route: EligibleRoute): Lane | null {
  const speaksSame = route.formats.includes(protocol.name)
  if (speaksSame && request.isRelayable !== false) {
    const quirks = quirksOf(route.supplier, protocol.name)
    if (quirks === null) return RELAY
    if (fits(request, quirks)) return quirks.isRetold ? MEND : RELAY
  }
  // The supplier's formats are in its operator's order of preference.
  const formats = speaksSame ? [protocol.name] : route.formats
  for (const format of formats) {
    const other = protocolOf(format)
    if (other !== undefined) return { type: 'translate', protocol: other }
  }
  return null
}

function fits(request: ClientRequest, quirks: Quirks): boolean {
  return request.fits?.(quirks) !== false
}
