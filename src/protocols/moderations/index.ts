import { asObject } from '../../wire/json-values.ts'
import { decodeErrorBody } from '../error-body.ts'
import type { Protocol } from '../protocol.ts'

export { MODERATION_CONTRACT } from './contract.ts'
export { type ModerationRequest, readRequest } from './read-request.ts'

/** The moderation format, for clients and suppliers. */
export const moderations: Pick<Protocol, 'name' | 'decodeError' | 'heartbeat' | 'generatedText'> = {
  name: 'moderations',
  decodeError: decodeErrorBody,
  generatedText: () => '',
  heartbeat: null,
}

/** The model of requests that name none, as the format's vendor documents it. */
export const DEFAULT_MODEL = 'omni-moderation-latest'

/** Whether a body is a reply of this format. */
export function isReply(body: unknown): boolean {
  return Array.isArray(asObject(body)?.results)
}
