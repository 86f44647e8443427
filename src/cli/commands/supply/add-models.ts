import { findCatalogPrice } from '../../../manage/prices/catalog-price.ts'
import { BUILT_IN_CATALOG } from '../../../rules/catalog/built-in/built-in-catalog.ts'
import { markedUp } from '../../../rules/ledger/charge.ts'
import { Price, type Price as PriceValue } from '../../../vocabulary/price.ts'
import type { Action, ActionCall } from '../../action-group.ts'
import { UsageError } from '../../command.ts'
import { callEndpoint } from '../../operator-action.ts'
import { printFacts, printRows } from '../../print-table.ts'
import { catalogFacts, routedNames, type WrittenModel, writeModels } from './write-supply.ts'

/** A model that can be imported, and what it costs. */
interface Import extends WrittenModel {
  readonly price: string | null
}

export const addModel: Action = {
  words: ['model'],
  required: ['supplier'],
  optional: ['upstream-model', 'input', 'output'],
  summary:
    'add a model with a route to a supplier; without --input and --output, the price is that of the catalog',
  notes: {
    model: 'the name that clients use',
    supplier: 'the id of the supplier',
    'upstream-model': 'the name at the supplier; the same by default',
    input: 'the price of a million input tokens',
    output: 'the price of a million output tokens',
  },
  examples: [
    'turnpike models add gpt-5 --supplier openai',
    'turnpike models add llama --supplier own --upstream-model llama-3.1-70b --input 0.1 --output 0.2',
  ],
  run: async (call) => {
    const [id, supplierId] = [call.said('model'), call.said('supplier')]
    const [input, output] = [call.flag('input'), call.flag('output')]
    if ((input === undefined) !== (output === undefined))
      throw new UsageError('give both --input and --output')
    const name = call.flag('upstream-model') ?? id
    const listed = input === undefined ? (await pricesAt(call, supplierId))(name) : null
    const price = input === undefined ? listed && Price.show(listed) : { input, output }
    const route = { upstream_model: name, price, price_source: input === undefined ? 'catalog' : 'manual' }
    await writeModels(call.client, supplierId, [{ id, facts: catalogFacts(id, supplierId), route }])
    printFacts(
      call,
      { model: id, supplier: supplierId, price },
      {
        model: id,
        supplier: supplierId,
        price: price === null ? 'none, so it is not used' : `${price.input} / ${price.output}`,
      },
    )
    return 0
  },
}

export const importModels: Action = {
  words: ['supplier'],
  optional: ['markup', 'only'],
  switches: ['dry-run'],
  summary: 'add the models that a supplier lists, at the prices of the catalog',
  notes: {
    supplier: 'the id of the supplier',
    markup: 'percent that are added to the prices',
    only: 'names to take, with * for any characters',
    'dry-run': 'show what would be added, and add nothing',
  },
  examples: [
    'turnpike models import openai --only "gpt-5*" --dry-run',
    'turnpike models import openai --markup 10',
  ],
  run: async (call) => {
    const supplier = call.said('supplier')
    const isDry = call.has('dry-run')
    const imports = await planImport(call, supplier)
    if (!isDry) await writeModels(call.client, supplier, imports)
    const facts = imports.map(({ id, price }) => ({ model: id, price }))
    printRows(call, facts, {
      show: ({ model, price }) => ({ model, price: price ?? 'none, so it is not used' }),
      empty: 'There is nothing to import.',
      facts: { supplier, dry_run: isDry, models: facts },
    })
    const without = facts.filter(({ price }) => price === null).length
    if (!call.asJson)
      call.terminal.print(
        `${facts.length} models ${isDry ? 'would be' : 'were'} added, ${without} of them without a price.\n`,
      )
    return 0
  },
}

async function planImport(call: ActionCall, supplier: string): Promise<Import[]> {
  const { offered } = await callEndpoint(call.client, 'compareModels', { id: supplier })
  const routed = await routedNames(call.client, supplier)
  const isWanted = matcherOf(call.flag('only') ?? '*')
  const basisPoints = readMarkup(call.flag('markup') ?? '0')
  const priceOf = await pricesAt(call, supplier)
  return offered
    .filter((name) => !routed.has(name) && isWanted(name))
    .map((name) => {
      const listed = priceOf(name)
      const price = listed && Price.show(markedUp(listed, basisPoints))
      const own = basisPoints === 0 ? { price_source: 'catalog' } : { cost: listed && Price.show(listed) }
      return {
        id: name,
        facts: catalogFacts(name, supplier),
        route: { upstream_model: name, price, ...own },
        price: price === null ? null : `${price.input} / ${price.output}`,
      }
    })
}

/** Looks up what models cost at a supplier of the gateway; null for those that the catalog does not know. */
async function pricesAt(call: ActionCall, id: string): Promise<(name: string) => PriceValue | null> {
  const { type, base_url: baseUrl } = await callEndpoint(call.client, 'showSupplier', { id })
  // A megabyte, which other commands do without.
  const { priceList } = await import('../../../edges/price-list/index.ts')
  const sources = { catalog: BUILT_IN_CATALOG, list: priceList, nowMs: Date.now() }
  return (name) => {
    const found = findCatalogPrice({ id, type, baseUrl }, name, sources)
    return found?.price ?? null
  }
}

function readMarkup(text: string): number {
  if (/^\d{1,4}(\.\d{1,2})?$/.test(text)) return Math.round(Number(text) * 100)
  throw new UsageError(`--markup takes percent such as 20 or 12.5, not '${text}'`)
}

/** `*` stands for any text, wherever it is. */
function matcherOf(glob: string): (name: string) => boolean {
  const pattern = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const expression = new RegExp(`^${pattern.join('.*')}$`)
  return (name) => expression.test(name)
}
