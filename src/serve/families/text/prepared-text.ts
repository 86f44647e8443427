import type { ClientRequest, Protocol } from '../../../protocols/protocol.ts'
import type { PreparedRequest } from '../../admission/prepared-request.ts'

/** A text request that is ready for admission. */
export interface PreparedText extends PreparedRequest {
  readonly protocol: Protocol
  readonly request: ClientRequest
  readonly bodyText: string
}
