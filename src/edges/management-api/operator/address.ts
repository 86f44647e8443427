import type { Exchange } from '../../../serve/ports/exchange.ts'

export const OPERATOR_PATH = '/operator/v1'

/** Who the audit says did it, when all that is known is that the operator token was right. */
const OPERATOR_ACTOR = 'operator'

/** Who the audit says did it: the user whose session the guard found, else whoever has the token. */
export function actorOf({ actor = OPERATOR_ACTOR }: Pick<Exchange, 'actor'>): string {
  return actor
}
