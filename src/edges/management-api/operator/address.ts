import type { Exchange } from '../../../serve/ports/exchange.ts'

export const OPERATOR_PATH = '/operator/v1'

/** The actor in audit events of requests with the operator token. */
const OPERATOR_ACTOR = 'operator'

/** The actor in audit events: the signed-in user, or else the holder of the operator token. */
export function actorOf({ actor = OPERATOR_ACTOR }: Pick<Exchange, 'actor'>): string {
  return actor
}
