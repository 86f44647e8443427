import type { ApplySupplyText } from '../../../manage/ports/supply-application.ts'
import { SupplyApply, SupplyChanges } from '../../../vocabulary/supply.ts'
import { definer, one } from '../endpoint.ts'

/**
 * Applies a whole supply file. The client sends the values of its variables along: they are those of the operator's
 * machine, and a request must not read the gateway's.
 */
export const supplyFileEndpoint = definer<ApplySupplyText>()({
  method: 'POST',
  path: '/supply',
  tag: 'Suppliers',
  access: 'operator',
  id: 'applySupply',
  summary: 'Apply a supply file',
  description: 'Applies all of the file or nothing. Applying the same file again changes nothing.',
  body: SupplyApply,
  answer: one(SupplyChanges),
  handle: async (applyText, { body, actor }) => {
    const { document: text, name, variables, dryRun } = body
    const changes = await applyText({ text, name, variables }, { actor, isDryRun: dryRun })
    return { dryRun, changes, warnings: changes.flatMap(({ warning }) => warning ?? []) }
  },
})
