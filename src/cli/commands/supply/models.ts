import type { ModelComparison } from '../../../manage/ports/diagnostics.ts'
import type { Shown } from '../../../vocabulary/shape.ts'
import { actionGroup } from '../../action-group.ts'
import { DONE } from '../../command.ts'
import { callEndpoint } from '../../operator-action.ts'
import { printRows } from '../../print-table.ts'
import { addModel, importModels } from './add-models.ts'

type Comparison = Shown<typeof ModelComparison>

export const createModelsCommand = actionGroup('models', {
  summary: "add models, and compare a supplier's with its own list",
  actions: {
    add: addModel,
    import: importModels,
    refresh: {
      summary: "compare a supplier's models with its own list",
      words: ['supplier'],
      notes: { supplier: 'the id of the supplier' },
      examples: ['turnpike models refresh openai'],
      run: async (call) => {
        const facts = await callEndpoint(call.client, 'compareModels', { id: call.said('supplier') })
        printRows(call, rowsOf(facts), {
          show: (row) => row,
          empty: 'The supplier offers nothing, and nothing is configured.',
          facts,
        })
        if (!call.asJson) call.terminal.print(summarize(facts))
        return DONE
      },
    },
  },
})

/** Most urgent first: models that are gone, models without a price, models without a route, then the rest. */
function rowsOf({ configured, missing, unpriced, unknown, catalog }: Comparison) {
  const row = (state: string) => (model: string) => ({ model, state, catalog: catalog.includes(model) })
  const present = configured.filter((name) => !missing.includes(name) && !unpriced.includes(name))
  return [
    ...missing.map(row('not offered any more')),
    ...unpriced.filter((name) => !missing.includes(name)).map(row('without a price')),
    ...unknown.map(row('not configured')),
    ...present.map(row('configured')),
  ]
}

function summarize({ offered, configured, missing, unpriced, unknown }: Comparison): string {
  const counts = [
    `${offered.length} offered`,
    `${configured.length} configured`,
    `${missing.length} not offered any more`,
    `${unpriced.length} without a price`,
    `${unknown.length} not configured`,
  ]
  return `${counts.join(', ')}.\n`
}
