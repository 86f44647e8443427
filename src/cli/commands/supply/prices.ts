import type { PriceDiff } from '../../../manage/ports/prices.ts'
import { formatUsdt, parseUsdt } from '../../../vocabulary/money.ts'
import type { Shown } from '../../../vocabulary/shape.ts'
import { type ActionCall, actionGroup } from '../../action-group.ts'
import { DONE, UsageError } from '../../command.ts'
import { callEndpoint } from '../../operator-action.ts'
import { printFacts, printRows } from '../../print-table.ts'

const ROUTE_NOTE = 'a route, as <model>/<supplier>'

export const createPricesCommand = actionGroup('prices', {
  summary: "compare prices with the catalog's, take them over or schedule them",
  actions: {
    diff: {
      summary: "compare the prices of routes with the catalog's, and what a month would have cost",
      optional: ['month'],
      switches: ['all'],
      notes: {
        month: 'the month of the bill, such as 2026-10; when left out, the last one',
        all: 'routes without a difference too',
      },
      examples: ['turnpike prices diff', 'turnpike prices diff --month 2026-10 --all'],
      run: diff,
    },
    apply: {
      summary: "take over the catalog's prices",
      optional: ['route'],
      repeated: ['route'],
      switches: ['follow', 'dry-run'],
      notes: {
        route: `${ROUTE_NOTE}; when left out, every route that differs`,
        follow: 'let these routes follow the catalog from now on',
        'dry-run': 'tell what would change, and change nothing',
      },
      examples: ['turnpike prices apply --dry-run', 'turnpike prices apply --route gpt-5/openai --follow'],
      run: apply,
    },
    schedule: {
      summary: 'another price of a route from a time on',
      words: ['route'],
      optionalWords: ['price'],
      required: ['from'],
      switches: ['catalog'],
      notes: {
        route: ROUTE_NOTE,
        price: 'as JSON, in USDT per million',
        from: 'a time such as 2027-01-01T00:00:00Z',
        catalog: "the catalog's price, in place of one in JSON",
      },
      examples: [
        'turnpike prices schedule gpt-5/openai --from 2027-01-01T00:00:00Z --catalog',
        `turnpike prices schedule gpt-5/openai '{"input":"1.25","output":"10"}' --from 2027-01-01T00:00:00Z`,
      ],
      run: schedule,
    },
  },
})

type Difference = Shown<typeof PriceDiff>['data'][number]
type ShownPrice = NonNullable<Difference['present_price']>

// Most urgent first.
const STATES: readonly Difference['state'][] = ['unpriced', 'changed', 'missing', 'new', 'same']

async function diff(call: ActionCall): Promise<number> {
  const { client, terminal, asJson } = call
  const month = call.flag('month')
  terminal.showProgress?.('Comparing prices …')
  const facts = await callEndpoint(client, 'comparePrices', month === undefined ? {} : { query: { month } })
  const listed = facts.data.filter(({ state }) => call.has('all') || state !== 'same')
  const rows = listed.toSorted((one, other) => STATES.indexOf(one.state) - STATES.indexOf(other.state))
  printRows(call, rows, {
    show: showDifference,
    figures: ['now', 'new', 'difference'],
    empty: 'Every route costs what the catalog says.',
    facts,
  })
  if (asJson) return DONE
  const same = facts.data.filter(({ state }) => state === 'same').length
  terminal.print(
    `${same} routes cost what the catalog says. Bill of ${facts.from.slice(0, 7)}, prices of genai-prices ${facts.list_version}.\n`,
  )
  return DONE
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

async function apply(call: ActionCall): Promise<number> {
  const { client, terminal } = call
  const names = call.all('route')
  const routes = names.length === 0 ? {} : { routes: names.map(readRoute) }
  const body = { ...routes, follow: call.has('follow'), dry_run: call.has('dry-run') }
  terminal.showProgress?.('Applying prices …')
  const facts = await callEndpoint(client, 'applyPrices', { body })
  printRows(call, facts.changes, {
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
  if (!call.asJson && facts.dry_run) terminal.print('Dry run: nothing was written.\n')
  return DONE
}

async function schedule(call: ActionCall): Promise<number> {
  const price = call.flag('price')
  if ((price === undefined) !== call.has('catalog')) {
    throw new UsageError(
      "use 'prices schedule <model>/<supplier> --from <time>' with a price as JSON or --catalog",
    )
  }
  const given = price === undefined ? {} : { price: readPrice(price) }
  const from = call.said('from')
  const body = { ...readRoute(call.said('route')), from, ...given }
  const facts = await callEndpoint(call.client, 'schedulePrice', { body })
  const { model, supplier } = facts
  printFacts(call, facts, { model, supplier, price: facts.price && showPrice(facts.price), scheduled: from })
  return DONE
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
