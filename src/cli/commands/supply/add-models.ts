import { findCatalogPrice } from '../../../manage/prices/catalog-price.ts'
import { catalogFacts } from '../../../manage/prices/model-import.ts'
import { BUILT_IN_CATALOG } from '../../../rules/catalog/built-in/built-in-catalog.ts'
import { Price, type Price as PriceValue } from '../../../vocabulary/price.ts'
import type { Action, ActionCall } from '../../action-group.ts'
import { UsageError } from '../../command.ts'
import { callEndpoint } from '../../operator-action.ts'
import { printFacts, printRows } from '../../print-table.ts'
import { writeModels } from './write-supply.ts'

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
    const markup_percent = readMarkup(call.flag('markup') ?? '0')
    const names = await wantedNames(call, supplier)
    const body = { models: names, markup_percent, dry_run: isDry }
    const { models } = await callEndpoint(call.client, 'importModels', { id: supplier, body })
    const facts = models.map(({ model, price }) => {
      return { model, price: price === null ? null : `${price.input} / ${price.output}` }
    })
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

/** The wanted names that no route asks for yet. */
async function wantedNames(call: ActionCall, supplier: string): Promise<string[]> {
  const { data } = await callEndpoint(call.client, 'listModelOffers', { id: supplier })
  const isWanted = matcherOf(call.flag('only') ?? '*')
  return data.filter(({ name, routed }) => !routed && isWanted(name)).map(({ name }) => name)
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
  if (/^\d{1,4}(\.\d{1,2})?$/.test(text)) return Number(text)
  throw new UsageError(`--markup takes percent such as 20 or 12.5, not '${text}'`)
}

/** `*` stands for any text, wherever it is. */
function matcherOf(glob: string): (name: string) => boolean {
  const pattern = glob.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
  const expression = new RegExp(`^${pattern.join('.*')}$`)
  return (name) => expression.test(name)
}
