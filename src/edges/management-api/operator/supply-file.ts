import type { ApplySupplyText } from '../../../manage/ports/supply-application.ts'
import { SupplyApply, SupplyChanges } from '../../../vocabulary/supply.ts'
import { definer, one } from '../endpoint.ts'

/**
 * A whole supply file at once. What it refers to is sent along: an operator elsewhere means the variables of their own
 * machine, and the gateway's own are no business of a request.
 */
export const supplyFileEndpoint = definer<ApplySupplyText>()({
  method: 'POST',
  path: '/supply',
  tag: 'Suppliers',
  access: 'operator',
  id: 'applySupply',
  summary: 'Apply a supply file',
  description: 'All of the file or nothing. Applying the same file again changes nothing.',
  body: SupplyApply,
  answer: one(SupplyChanges),
  handle: async (applyText, { body, actor }) => {
    const { document: text, name, variables, dryRun } = body
    const changes = await applyText({ text, name, variables }, { actor, isDryRun: dryRun })
    return { dryRun, changes }
  },
})
