import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { Environment } from '../../edges/settings/read-settings.ts'
import type { PriceDiff } from '../../manage/ports/prices.ts'
import { formatUsdt, parseUsdt } from '../../vocabulary/money.ts'
import type { Shown } from '../../vocabulary/shape.ts'
import { type Command, firstSentence, type Terminal, UsageError } from '../command.ts'
import { callEndpoint } from '../operator-action.ts'
import { connectFromEnvironment, type OperatorClient } from '../operator-client.ts'
import { JSON_OPTION, printFacts, printRows } from '../print-table.ts'

interface Call {
  readonly args: readonly string[]
  readonly client: OperatorClient
  readonly terminal: Terminal
}

const ACTIONS: Readonly<Record<string, (call: Call) => Promise<void>>> = { diff, apply, schedule }

export function createPricesCommand(environment: Environment): Command {
  return {
    name: 'prices',
    summary: "compare prices with the catalog's, take them over or schedule them (diff, apply, schedule)",
    async run([word = '', ...args], terminal) {
      const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined
      if (action === undefined) throw new UsageError("'turnpike prices' takes diff, apply or schedule")
      await action({ args, terminal, client: connectFromEnvironment(environment) })
      return 0
    },
  }
}

type Difference = Shown<typeof PriceDiff>['data'][number]
type ShownPrice = NonNullable<Difference['present_price']>

// Most urgent first.
const STATES: readonly Difference['state'][] = ['unpriced', 'changed', 'missing', 'new', 'same']

async function diff({ args, client, terminal }: Call): Promise<void> {
  const options = {
    month: { type: 'string' },
    all: { type: 'boolean', default: false },
    ...JSON_OPTION,
  } as const
  const { month, all, json: asJson } = readArgs(args, options).values
  const facts = await callEndpoint(client, 'comparePrices', month === undefined ? {} : { query: { month } })
  const listed = facts.data.filter(({ state }) => all || state !== 'same')
  const rows = listed.toSorted((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state))
  printRows({ terminal, asJson }, rows, {
    show: showDifference,
    figures: ['now', 'new', 'difference'],
    empty: 'Every route costs what the catalog says.',
    facts,
  })
  if (asJson) return
  const same = facts.data.filter(({ state }) => state === 'same').length
  terminal.print(
    `${same} routes cost what the catalog says. Bill of ${facts.from.slice(0, 7)}, prices of genai-prices ${facts.list_version}.\n`,
  )
}

function showDifference({ state, model, supplier, price_source, present_price, catalog, bill }: Difference) {
  return {
    state,
    model,
    supplier,
    source: price_source,
    'price in/out': present_price && showPrice(present_price),
    'catalog in/out': catalog && showPrice(catalog.price),
    'listed as': catalog && `${catalog.listed_as} (${catalog.source})`,
    now: bill?.present_amount,
    new: bill?.catalog_amount,
    difference: bill && subtract(bill.catalog_amount, bill.present_amount),
  }
}

/** `1.25/10 +3`: input and output, and how many variants there are. */
function showPrice({ input, output, variants = [] }: ShownPrice): string {
  return `${input}/${output}${variants.length > 0 ? ` +${variants.length}` : ''}`
}

function subtract(one: string, other: string): string {
  const difference = parseUsdt(one, 'bill') - parseUsdt(other, 'bill')
  return `${difference > 0n ? '+' : ''}${formatUsdt(difference)}`
}

async function apply({ args, client, terminal }: Call): Promise<void> {
  const { route: names, ...flags } = readArgs(args, {
    route: { type: 'string', multiple: true },
    follow: { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
    ...JSON_OPTION,
  }).values
  const routes = names === undefined ? {} : { routes: names.map(readRoute) }
  const body = { ...routes, follow: flags.follow, dry_run: flags['dry-run'] }
  const facts = await callEndpoint(client, 'applyPrices', { body })
  printRows({ terminal, asJson: flags.json }, facts.changes, {
    show: ({ model, supplier, before, after, source, listed_as }) => ({
      model,
      supplier,
      before: before && showPrice(before),
      after: showPrice(after),
      'listed as': `${listed_as} (${source})`,
    }),
    empty: 'Nothing to change.',
    facts,
  })
  if (!flags.json && facts.dry_run) terminal.print('Dry run: nothing was written.\n')
}

async function schedule({ args, client, terminal }: Call): Promise<void> {
  const options = {
    from: { type: 'string' },
    catalog: { type: 'boolean', default: false },
    ...JSON_OPTION,
  } as const
  const { values, positionals } = readArgs(args, options)
  const [route, price, ...others] = positionals
  const hasOnePrice = (price === undefined) === values.catalog
  if (route === undefined || values.from === undefined || !hasOnePrice || others.length > 0) {
    throw new UsageError(
      "use 'prices schedule <model>/<supplier> --from <time>' with a price as JSON or --catalog",
    )
  }
  const given = price === undefined ? {} : { price: readPrice(price) }
  const body = { ...readRoute(route), from: values.from, ...given }
  const facts = await callEndpoint(client, 'schedulePrice', { body })
  const { model, supplier } = facts
  printFacts({ terminal, asJson: values.json }, facts, {
    model,
    supplier,
    price: facts.price && showPrice(facts.price),
    scheduled: values.from,
  })
}

/** Supplier ids have no slash, model ids may. */
function readRoute(text: string): { model: string; supplier: string } {
  const slash = text.lastIndexOf('/')
  if (slash <= 0 || slash === text.length - 1) {
    throw new UsageError(`a route is <model>/<supplier>, not '${text}'`)
  }
  return { model: text.slice(0, slash), supplier: text.slice(slash + 1) }
}

function readPrice(text: string): object {
  try {
    const price: unknown = JSON.parse(text)
    if (typeof price === 'object' && price !== null) return price
  } catch {
    // Said below.
  }
  throw new UsageError(`a price is JSON such as '{"input":"1.25","output":"10"}', not '${text}'`)
}

function readArgs<const T extends NonNullable<ParseArgsConfig['options']>>(
  args: readonly string[],
  options: T,
) {
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: true })
  } catch (error) {
    throw new UsageError(firstSentence(error))
  }
}
