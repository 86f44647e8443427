import { LARGEST_PAGE } from '../../../edges/management-api/endpoint.ts'
import type { Vendor } from '../../../rules/catalog/built-in/schema.ts'
import { Wildcards } from '../../../vocabulary/records/wildcard.ts'
import { type Action, type ActionCall, actionGroup } from '../../action-group.ts'
import { UsageError } from '../../command.ts'
import { actionOf, callEndpoint, readList } from '../../operator-action.ts'
import type { OperatorClient } from '../../operator-client.ts'
import { printFacts, printRows } from '../../print-table.ts'
import { discover } from './discover.ts'
import { offeredModels, routedNames, vendorNamed, writeModels, writeSupplier } from './write-supply.ts'

const OPENAI_COMPATIBLE = 'openai-compatible'

const add: Action = {
  words: ['supplier'],
  optional: ['type', 'base-url', 'key-env', 'key'],
  summary: 'add a supplier with its key and the models that the catalog has of it',
  notes: {
    supplier: 'its id; that of a vendor in the catalog is enough',
    type: 'its type; that of the catalog by default, else openai-compatible',
    'base-url': 'its address; that of the catalog by default',
    'key-env': 'the variable that has its key; the usual one of the vendor by default',
    key: '- reads its key from the standard input',
  },
  examples: [
    'turnpike suppliers add openai',
    'turnpike suppliers add acme --base-url https://api.acme.example/v1 --key-env ACME_KEY',
  ],
  run: async (call) => {
    const id = call.said('supplier')
    const vendor = vendorNamed(id)
    const baseUrl = call.flag('base-url') ?? vendor?.base_url
    if (baseUrl === undefined)
      throw new UsageError(`the catalog does not know '${id}'; give its address with --base-url`)
    const type = call.flag('type') ?? vendor?.type ?? OPENAI_COMPATIBLE
    const secret = await readKey(call, vendor)
    const formats = vendor !== undefined && vendor.type === type ? { formats: vendor.formats } : {}
    await writeSupplier(call.client, { id, type, base_url: baseUrl, ...formats, secret })
    const routed = await routedNames(call.client, id)
    const models = vendor === undefined ? [] : offeredModels(vendor).filter(({ name }) => !routed.has(name))
    await writeModels(call.client, id, models)
    const facts = { supplier: id, type, base_url: baseUrl, models: models.map((model) => model.id) }
    printFacts(call, facts, {
      supplier: id,
      type,
      address: baseUrl,
      models: models.length,
      next: models.length > 0 ? `turnpike suppliers test ${id}` : `turnpike models import ${id}`,
    })
    return 0
  },
}

/** Never from the command line itself, which others on the machine can read. */
async function readKey({ environment, flag }: ActionCall, vendor: Vendor | undefined): Promise<string> {
  const given = flag('key')
  if (given !== undefined && given !== '-')
    throw new UsageError('--key takes - for standard input; others could read a key in the command line')
  if (given === '-') return requireKey((await Bun.stdin.text()).trim(), 'standard input')
  const name = flag('key-env')
  if (name !== undefined) return requireKey(environment[name] ?? '', name)
  const variable = vendor?.key_variables.find((each) => environment[each])
  if (variable !== undefined) return requireKey(environment[variable] ?? '', variable)
  if (vendor?.base_url.startsWith('http://127.0.0.1')) return NO_KEY
  const usual = vendor?.key_variables[0]
  throw new UsageError(
    `no key: ${usual === undefined ? '' : `set ${usual}, or `}name its variable with --key-env, or give --key - and write it to standard input`,
  )
}

/** What programs on the own machine get, which take any key. */
const NO_KEY = 'none'

function requireKey(key: string, place: string): string {
  if (key !== '') return key
  throw new UsageError(`there is no key in ${place}`)
}

const test: Action = {
  words: ['supplier'],
  notes: { supplier: 'the id of the supplier' },
  examples: ['turnpike suppliers test openai'],
  summary: 'ask a supplier for its models, and one of its models for a word, which it charges for',
  run: async (call) => {
    const supplier = call.said('supplier')
    const { offered } = await callEndpoint(call.client, 'compareModels', { id: supplier })
    const { data: findings } = await callEndpoint(call.client, 'examineSupply', { query: { supplier } })
    printRows(call, findings, {
      show: ({ model, format, result, status, latency_ms, hint }) => {
        return { model, format, result: result.replaceAll('_', ' '), status, ms: latency_ms, hint }
      },
      figures: ['status', 'ms'],
      empty: 'There is nothing to test.',
      facts: { supplier, offered: offered.length, findings },
    })
    if (!call.asJson) call.terminal.print(`${supplier} lists ${offered.length} models.\n`)
    return findings.some(({ result }) => result === 'works') ? 0 : 1
  },
}

/** Routes go first: a supplier in use is not deleted. */
const remove: Action = {
  words: ['supplier'],
  notes: { supplier: 'the id of the supplier' },
  examples: ['turnpike suppliers delete acme'],
  summary: 'delete a supplier with its credentials and routes; models stay',
  run: async (call) => {
    const id = call.said('supplier')
    const { items } = await readList(call.client, 'listRoutes', { limit: Number.POSITIVE_INFINITY })
    const own = items.filter(({ supplier }) => supplier === id)
    const wildcards = await readWildcards(call.client, id)
    if (wildcards.length > 0)
      throw new UsageError(`wildcards lead to ${id}: ${wildcards.join(', ')}; delete these first`)
    for (const { model } of own)
      await call.client.call(
        'DELETE',
        `/models/${encodeURIComponent(model)}/routes/${encodeURIComponent(id)}`,
      )
    await call.client.call('DELETE', `/suppliers/${encodeURIComponent(id)}`)
    printFacts(call, { deleted: id, routes: own.length }, { deleted: id, routes: own.length })
    return 0
  },
}

/** The ids of wildcards that lead to a supplier. */
async function readWildcards(client: OperatorClient, id: string): Promise<string[]> {
  const { data } = await client.call<{ data: readonly { id: string; supplier: string }[] }>(
    'GET',
    `/${Wildcards.slug}?limit=${LARGEST_PAGE}`,
  )
  return data.filter(({ supplier }) => supplier === id).map((wildcard) => wildcard.id)
}

export const createSuppliersCommand = actionGroup('suppliers', {
  summary: 'see, add and test suppliers, and find those on this machine',
  actions: {
    list: actionOf('listSuppliers', {
      show: ({ id, type, base_url, source, enabled }) => ({ id, type, address: base_url, source, enabled }),
      empty: 'There are no suppliers.',
    }),
    add,
    test,
    delete: remove,
    discover,
  },
})
