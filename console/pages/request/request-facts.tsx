import { Group, Table, Text } from '@mantine/core'
import { useKeys } from '../../api/keys.ts'
import type { Settlement } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { StatCard } from '../../parts/charts/stat-card.tsx'
import { OutcomeBadge } from '../../parts/layout/outcome-badge.tsx'
import { Facts, Panel } from '../../parts/layout/panel.tsx'
import { ScrollTable } from '../../parts/tables/scroll-table.tsx'
import { formatDuration, formatMoney, formatNumber } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { Money } from '../../parts/text/money.tsx'
import { addUpPrice, type PriceLine } from '../../parts/text/price-lines.ts'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

const PROVENANCE: Readonly<Record<Settlement['provenance'], string>> = {
  supplier: 'Reported by the supplier',
  counted: 'Counted by the gateway from the delivered output',
  estimated: 'Estimated by the gateway',
}

interface SettlementProps {
  readonly settlement: Settlement
}

/** The model and the outcome, once known. */
export function Heading({ settlement }: { readonly settlement: Settlement | undefined }) {
  return (
    <Group gap="sm">
      <span>{settlement?.model ?? 'Request'}</span>
      {settlement !== undefined && <OutcomeBadge outcome={settlement.outcome} />}
    </Group>
  )
}

interface FiguresProps extends SettlementProps {
  readonly costLabel: string
  readonly counted: { readonly label: string; readonly value: string }
}

export function Figures({ settlement, costLabel, counted }: FiguresProps) {
  const { amount, attempts, first_byte_ms: firstByteMs, duration_ms: durationMs } = settlement
  return (
    <>
      <StatCard label={costLabel} value={<Money amount={amount} />} />
      <StatCard {...counted} />
      <StatCard label="First byte" value={firstByteMs === null ? '–' : formatDuration(firstByteMs)} />
      <StatCard
        label="Duration"
        value={formatDuration(durationMs)}
        hint={attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}
      />
    </>
  )
}

export function UsageFacts({ settlement: { usage, provenance } }: SettlementProps) {
  const facts = [
    { label: 'Input', value: formatNumber(usage.input) },
    { label: 'Cache read', value: formatNumber(usage.cache_read) },
    { label: 'Cache write', value: formatNumber(usage.cache_write) },
    { label: 'Output', value: formatNumber(usage.output) },
    { label: 'Thinking (in output)', value: formatNumber(usage.reasoning) },
    ...(usage.images > 0 ? [{ label: 'Images', value: formatNumber(usage.images) }] : []),
    { label: 'Source of these figures', value: PROVENANCE[provenance] },
  ]
  return <Facts facts={facts} />
}

export function RequestFacts({ settlement }: SettlementProps) {
  const account = useAccount()
  const keys = useKeys(account.id)
  const { key_id, model, supplier, client_format, supplier_format, stream, started_at } = settlement
  const name = keys.rows.find(({ id }) => id === key_id)?.name ?? key_id
  const how =
    supplier_format === null
      ? '–'
      : supplier_format === client_format
        ? `${supplier_format}, passed through`
        : `${supplier_format}, translated`
  return (
    <Facts
      facts={[
        {
          label: 'Key',
          value: (
            <TextLink inherit to="/keys/$id" params={{ id: key_id }}>
              {name}
            </TextLink>
          ),
        },
        {
          label: 'Model',
          value: (
            <TextLink inherit to="/requests" search={{ model }}>
              {model}
            </TextLink>
          ),
        },
        { label: 'Supplier', value: supplier ?? 'None' },
        { label: 'Client format', value: client_format },
        { label: 'Supplier format', value: how },
        { label: 'Response', value: stream ? 'Streamed' : 'Not streamed' },
        { label: 'Started', value: <TimeStamp at={started_at} /> },
      ]}
    />
  )
}

interface PricePanelProps {
  readonly settlement: Settlement
  readonly description: string
}

/** The price calculation, line by line. */
export function PricePanel({ settlement, description }: PricePanelProps) {
  return (
    <Panel title="Price" description={description} isFlush>
      <div className="arithmetic-box">
        <Arithmetic settlement={settlement} />
      </div>
    </Panel>
  )
}

function Arithmetic({ settlement }: { readonly settlement: Settlement }) {
  const { price, usage, amount } = settlement
  if (price === null) {
    return (
      <Text size="sm" c="dimmed">
        No supplier served this request, so nothing was charged.
      </Text>
    )
  }
  const { lines, rounding, total } = addUpPrice(usage, price)
  return (
    <>
      <ScrollTable
        label="Price, line by line"
        heads={['What', 'Quantity', 'Price', 'USDT']}
        className="arithmetic"
      >
        <Table.Tbody>
          {lines.map((line) => (
            <Line key={line.label} line={line} />
          ))}
          {rounding !== '0' && (
            <Table.Tr>
              <Table.Th scope="row">Rounded to nine decimals</Table.Th>
              <Table.Td />
              <Table.Td />
              <Table.Td>{formatMoney(rounding, { isExact: true })}</Table.Td>
            </Table.Tr>
          )}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th scope="row">Total</Table.Th>
            <Table.Td />
            <Table.Td />
            <Table.Td>{formatMoney(total, { isExact: true })}</Table.Td>
          </Table.Tr>
        </Table.Tfoot>
      </ScrollTable>
      {total !== amount && (
        <Text size="sm" p="sm" role="note">
          {formatMoney(amount, { isExact: true })} USDT were charged, which is not the sum of these lines.
          Tell your operator.
        </Text>
      )}
    </>
  )
}

function Line({ line }: { readonly line: PriceLine }) {
  return (
    <Table.Tr>
      <Table.Th scope="row">{line.label}</Table.Th>
      <Table.Td>{formatNumber(line.quantity)}</Table.Td>
      <Table.Td>
        × {formatMoney(line.price, { isExact: true })}
        <Text span inherit c="dimmed" visibleFrom="sm">
          {line.unit === 'each' ? ' each' : ' per million'}
        </Text>
      </Table.Td>
      <Table.Td>{formatMoney(line.amount, { isExact: true })}</Table.Td>
    </Table.Tr>
  )
}
