import type { Endpoint } from '../../../gateway/ports/exchange.ts'
import type { ApplySupplyText } from '../../../gateway/ports/supply-application.ts'
import { actorOf, OPERATOR_PATH } from './address.ts'
import { bodyReader } from './read-body.ts'
import { SupplyFileBody } from './supply-file-schema.ts'

const UNNAMED = 'document'

/**
 * A whole supply file at once. What it refers to is sent along: an operator elsewhere means the variables of their own
 * machine, and the gateway's own are no business of a request.
 */
export function supplyFileEndpoints(applyText: ApplySupplyText): Endpoint[] {
  const readBody = bodyReader(SupplyFileBody)
  return [
    {
      method: 'POST',
      path: `${OPERATOR_PATH}/supply`,
      handle: async (exchange) => {
        const body = await readBody(exchange)
        const { document: text, name = UNNAMED, variables = {}, dry_run: isDryRun = false } = body
        const changes = await applyText({ text, name, variables }, { actor: actorOf(exchange), isDryRun })
        return Response.json({ dry_run: isDryRun, changes })
      },
    },
  ]
}
