import { Alert, Text } from '@mantine/core'
import { IconChecks, IconReceipt2, IconSearchOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { PRICES_KEY, ROUTES_KEY } from '../../api/operator.ts'
import type { Price, PriceDiff, PriceDifference } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { unitPriceOf } from '../../parts/prices/price-words.ts'
import { ListFilters } from '../../parts/tables/list-filters.tsx'
import { asList, matchesWords, narrowList } from '../../parts/tables/lists.ts'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatCount, formatMoney } from '../../parts/text/format.ts'
import { applyPrices, priceDiffQuery } from './price-calls.ts'
import { PriceDrawer } from './price-drawer.tsx'
import { describeEffect, doesFollow, effectOf, isFollowing, STATES, sortDifferences } from './price-states.ts'

/** Prices of routes beside those of the catalog. */
export function Page() {
  const [address, setAddress] = useUrlState({ q: '', state: '', open: '' })
  const { q, state, open } = address
  const diff = useQuery(priceDiffQuery)
  const all = sortDifferences(diff.data?.data ?? [])
  const opened = all.find((each) => nameOf(each) === open)
  const fits = (each: PriceDifference) =>
    (state === '' ? each.state !== 'same' : state === 'all' || each.state === state) &&
    matchesWords(q.trim(), [each.model, each.supplier, each.upstream_model])
  return (
    <>
      <PageHeader
        title="Price catalog"
        description={`Compares the prices of your routes with the built-in catalog, in ${CURRENCY} per million tokens. A price changes only when you apply the catalog to it.`}
        actions={diff.data?.data.some(isFollowing) && <ApplyAll diff={diff.data} />}
      />
      <ListFilters
        state={address}
        onChange={setAddress}
        label="Search prices"
        placeholder="Model or supplier"
        choice={{ name: 'state', label: 'State', all: 'All differences', options: STATE_CHOICES }}
      />
      <TablePanel
        label="Prices"
        list={narrowList({ ...asList(diff), rows: all }, fits)}
        columns={columnsOf(diff.data)}
        rowKey={nameOf}
        onOpen={(each) => setAddress({ open: nameOf(each) })}
        empty={emptyOf(all, {
          isNarrowed: q !== '' || state !== '',
          showAll: () => setAddress({ state: 'all' }),
        })}
      />
      {open !== '' && opened === undefined && diff.data !== undefined && (
        <Alert color="yellow" mt="md" title="This route is gone">
          No route is called “{open}” any more.
        </Alert>
      )}
      {opened !== undefined && (
        <PriceDrawer
          difference={opened}
          month={monthOf(diff.data)}
          onClose={() => setAddress({ open: '' })}
        />
      )}
    </>
  )
}

const STATE_CHOICES = [
  ...Object.entries(STATES).map(([value, { label }]) => ({ value, label })),
  { value: 'all', label: 'All routes' },
]

const NONE = {
  icon: IconReceipt2,
  title: 'Nothing to compare',
  children:
    'Add a supplier, and routes to its models. Simulated suppliers and those of single accounts are not compared.',
}

function noDifference(all: readonly PriceDifference[], showAll: () => void) {
  return {
    icon: IconChecks,
    title: 'No differences',
    children: `${formatCount(all.length, 'route')} compared: each has the catalog’s price.`,
    action: { label: 'Show all routes', onClick: showAll },
  }
}

interface Emptiness {
  readonly isNarrowed: boolean
  readonly showAll: () => void
}

function emptyOf(all: readonly PriceDifference[], { isNarrowed, showAll }: Emptiness) {
  if (all.length === 0) return NONE
  return isNarrowed ? NO_MATCH : noDifference(all, showAll)
}

const NO_MATCH = {
  icon: IconSearchOff,
  title: 'No matching prices',
  children: 'The search covers models and suppliers.',
}

function nameOf({ model, supplier }: PriceDifference): string {
  return `${model} ${supplier}`
}

const monthName = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** `Oct 2026`. */
function monthOf(diff: PriceDiff | undefined): string {
  return diff === undefined ? '' : monthName.format(new Date(diff.from))
}

function columnsOf(diff: PriceDiff | undefined): readonly Column<PriceDifference>[] {
  return [
    {
      head: 'Model',
      cell: ({ model, supplier, upstream_model: name }) => (
        <TwoLines below={name === model ? supplier : `${supplier}, as ${name}`}>{model}</TwoLines>
      ),
    },
    {
      head: 'State',
      cell: (each) => (
        <>
          <StatusBadge state={STATES[each.state].label} tone={STATES[each.state].tone} />
          <Text size="xs" hiddenFrom="sm" mt={4}>
            {each.present_price !== null && `${inAndOut(each.present_price)} → `}
            {inAndOut(each.catalog?.price ?? null)}
          </Text>
          <Text size="xs" hiddenFrom="sm">
            {describeBill(each)}
          </Text>
        </>
      ),
    },
    {
      head: 'Follows',
      from: 'md',
      cell: ({ price_source: source }) => (source === 'catalog' ? 'the catalog' : '–'),
    },
    {
      head: 'Price, in / out',
      isNumeric: true,
      from: 'sm',
      cell: ({ present_price: price }) => inAndOut(price),
    },
    {
      head: 'Catalog, in / out',
      isNumeric: true,
      from: 'sm',
      cell: ({ catalog }) => inAndOut(catalog?.price ?? null),
    },
    {
      head: `Effect on ${monthOf(diff)}, ${CURRENCY}`,
      isNumeric: true,
      from: 'sm',
      cell: (each) => describeBill(each) ?? '–',
    },
  ]
}

function describeBill(difference: PriceDifference): string | null {
  const effect = effectOf([difference])
  return effect && describeEffect(effect)
}

/** Input and output, which say the most, or what a model is sold by instead. The drawer has all rates. */
function inAndOut(price: Price | null): string {
  if (price === null) return '–'
  const unit = unitPriceOf(price)
  if (unit !== null) return `${formatMoney(unit.amount)} per ${unit.unit}`
  return `${formatMoney(price.input)} / ${formatMoney(price.output)}`
}

/** Takes the prices of all routes that follow the catalog. */
function ApplyAll({ diff }: { readonly diff: PriceDiff }) {
  const following = diff.data.filter(doesFollow)
  const effect = effectOf(following)
  const routes = formatCount(following.length, 'route')
  return (
    <ConfirmAction
      title={`Apply the catalog to ${routes}?`}
      confirmLabel="Apply"
      isHarmless
      onConfirm={() => applyPrices({})}
      done={({ changes }) => `${formatCount(changes.length, 'price')} changed.`}
      refreshes={[PRICES_KEY, ROUTES_KEY]}
      trigger={{
        children: `Apply the catalog to ${routes}`,
        leftSection: <IconReceipt2 size={16} aria-hidden />,
        disabled: following.length === 0,
      }}
    >
      Routes that follow the catalog take its prices from the next request on.
      {effect !== null && ` For ${monthOf(diff)} that would have been ${describeEffect(effect)} ${CURRENCY}.`}
    </ConfirmAction>
  )
}
