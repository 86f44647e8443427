import { Alert, Button, Checkbox, Drawer, Group, Stack, Text, Title } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { PRICES_KEY, ROUTES_KEY } from '../../api/operator.ts'
import type { PriceDifference } from '../../api/wire.ts'
import type { Closable } from '../../parts/forms/form-drawer.tsx'
import { TimeField } from '../../parts/forms/time-field.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Facts } from '../../parts/layout/panel.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { PriceDetails } from '../../parts/prices/price-details.tsx'
import { ChangeTable } from '../../parts/tables/change-table.tsx'
import { formatNumber } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { Money } from '../../parts/text/money.tsx'
import { applyPrices, schedulePrice } from './price-calls.ts'
import { isApplicable, STATES } from './price-states.ts'

interface DifferenceProps {
  readonly difference: PriceDifference
}

interface PriceDrawerProps extends DifferenceProps, Closable {
  /** `Oct 2026`. */
  readonly month: string
}

/** One price in full: what differs, what that does to a month, and what to do about it. */
export function PriceDrawer({ difference, month, onClose }: PriceDrawerProps) {
  const { model, supplier, state, present_price: price, catalog, bill } = difference
  return (
    <Drawer opened onClose={onClose} title={`${model} by ${supplier}`}>
      <Stack gap="lg">
        <Group gap="xs">
          <StatusBadge state={STATES[state].label} tone={STATES[state].tone} />
          <Text size="sm">{STATES[state].meaning}</Text>
        </Group>
        {catalog !== null && <Source catalog={catalog} />}
        {price !== null && catalog !== null && state === 'changed' && (
          <Section title="What differs">
            <ChangeTable label="What differs" before={{ price }} after={{ price: catalog.price }} />
          </Section>
        )}
        {(price === null || state === 'same') && catalog !== null && (
          <Section title="In the catalog">
            <PriceDetails price={catalog.price} />
          </Section>
        )}
        {bill !== null && (
          <Section title={`What it does to ${month}`}>
            <Effect bill={bill} />
          </Section>
        )}
        {isApplicable(difference) && <Actions difference={difference} onClose={onClose} />}
        {state === 'new' && (
          <TextLink size="sm" to="/operator/models" search={{ do: 'create' }}>
            Add it as a model
          </TextLink>
        )}
        {(state === 'missing' || state === 'unpriced') && (
          <TextLink size="sm" to="/operator/models/$id" params={{ id: model }} search={{ route: supplier }}>
            Edit the price by hand
          </TextLink>
        )}
      </Stack>
    </Drawer>
  )
}

function Section({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section>
      <Title order={3} size="h6" mb={8}>
        {title}
      </Title>
      {children}
    </section>
  )
}

function Source({ catalog }: { readonly catalog: NonNullable<PriceDifference['catalog']> }) {
  const { source, listed_as: name, left_out: leftOut } = catalog
  return (
    <>
      <Text size="sm" c="dimmed">
        Listed as <span className="mono">{name}</span>{' '}
        {source === 'built-in' ? 'in the vendor files of the gateway.' : 'in the price list genai-prices.'}
      </Text>
      {leftOut.length > 0 && (
        <Alert color="yellow" icon={<IconInfoCircle size={18} aria-hidden />} title="Not taken over">
          The list also prices what a route cannot: {leftOut.join(', ')}.
        </Alert>
      )}
    </>
  )
}

const BASES: Readonly<Record<NonNullable<PriceDifference['bill']>['basis'], string>> = {
  settlements: 'Each request was priced again.',
  totals: 'The sums of each day were priced again, as short prompts on the standard tier.',
  both: 'Requests were priced again, and where they are too many, the sums of each day as short prompts.',
}

function Effect({ bill }: { readonly bill: NonNullable<PriceDifference['bill']> }) {
  return (
    <Stack gap="sm">
      <Facts
        facts={[
          { label: 'Requests', value: formatNumber(bill.requests) },
          { label: 'Charged then', value: <Money amount={bill.charged} /> },
          { label: 'At the present price', value: <Money amount={bill.present_amount} /> },
          { label: 'At the catalog’s price', value: <Money amount={bill.catalog_amount} /> },
          { label: 'Cost at present', value: <Money amount={bill.present_cost} /> },
          { label: 'Cost by the catalog', value: <Money amount={bill.catalog_cost} /> },
        ]}
      />
      <Text size="xs" c="dimmed">
        {BASES[bill.basis]}
      </Text>
    </Stack>
  )
}

/** Takes the catalog's price now, or from a date on. */
function Actions({ difference, onClose }: DifferenceProps & Closable) {
  const { model, supplier, price_source: source, present_price: price } = difference
  const [doesFollow, setDoesFollow] = useState(source === 'catalog')
  const [from, setFrom] = useState('')
  const route = { model, supplier }
  const shared = { refreshes: [PRICES_KEY, ROUTES_KEY], onDone: onClose }
  const apply = useAction(() => applyPrices({ routes: [route], follow: doesFollow }), {
    ...shared,
    done: 'The route has the price of the catalog.',
  })
  const schedule = useAction(() => schedulePrice({ ...route, from }), {
    ...shared,
    done: 'The price is scheduled.',
  })
  return (
    <Section title="Take the price of the catalog">
      <Stack>
        <Checkbox
          label="Follow the catalog from now on"
          checked={doesFollow}
          onChange={(event) => setDoesFollow(event.currentTarget.checked)}
        />
        <Button w="fit-content" loading={apply.isRunning} onClick={() => apply.run(undefined)}>
          Apply now
        </Button>
        {price !== null && (
          <Group align="flex-end" gap="sm">
            <TimeField label="From, UTC" isUtc value={from} onChange={setFrom} />
            <Button
              variant="default"
              disabled={from === ''}
              loading={schedule.isRunning}
              onClick={() => schedule.run(undefined)}
            >
              Schedule
            </Button>
          </Group>
        )}
        <ErrorNotice error={apply.error ?? schedule.error} />
      </Stack>
    </Section>
  )
}
