import { Alert, Stack, Table, Text } from '@mantine/core'
import { IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import type { SettlementNote } from '../../../src/vocabulary/settlement.ts'
import type { Settlement } from '../../api/wire.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import { describeMarkup, rateLabel } from '../../parts/prices/price-words.ts'
import { linePer, lineQuantity } from '../../parts/prices/usage-words.ts'
import { ScrollTable } from '../../parts/tables/scroll-table.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { subtractAmounts } from '../../parts/text/exact-amount.ts'
import { capitalize, formatMoney, formatNumber } from '../../parts/text/format.ts'

interface SettlementProps {
  readonly settlement: Settlement
}

const NOTES: Readonly<Record<SettlementNote, string>> = {
  implausible_usage:
    'The report of the supplier could not be true, so the gateway counted what was delivered itself.',
  cut_by_balance: 'The answer ended where the balance or the spending limit did.',
  max_tokens_lowered: 'The balance or the spending limit allowed only a shorter answer.',
  abort_charged: 'The client left early, and the supplier charges for that.',
  compaction: 'The request compacted a conversation instead of answering it.',
}

/** What is out of the ordinary about the charge. */
export function Notes({ settlement: { notes } }: SettlementProps) {
  if (notes.length === 0) return null
  return (
    <Alert color="yellow" icon={<IconInfoCircle size={18} aria-hidden />} title="About the charge">
      <Stack gap={4}>
        {notes.map((note) => (
          <Text key={note} size="sm">
            {NOTES[note] ?? note}
          </Text>
        ))}
      </Stack>
    </Alert>
  )
}

interface PricePanelProps extends SettlementProps {
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

function Arithmetic({ settlement }: SettlementProps) {
  const { price, lines, price_total: sum, amount, markup_percent: markup } = settlement
  if (price === null) {
    return (
      <Text size="sm" c="dimmed">
        No supplier served this request, so nothing was charged.
      </Text>
    )
  }
  return (
    <>
      <ScrollTable
        label="Price, line by line"
        heads={['What', 'Quantity', 'Price', CURRENCY]}
        className="arithmetic"
      >
        <Table.Tbody>
          {lines.map((line) => (
            <Line key={`${line.item} ${line.prompt_part_above ?? ''}`} line={line} />
          ))}
          {markup !== null && (
            <>
              <Row label="Sum, rounded to nine decimals" amount={sum} />
              <Row label={capitalize(describeMarkup(markup))} amount={subtractAmounts(amount, sum)} />
            </>
          )}
        </Table.Tbody>
        <Table.Tfoot>
          <Row label={markup === null ? 'Total, rounded to nine decimals' : 'Total'} amount={amount} />
        </Table.Tfoot>
      </ScrollTable>
      {markup === null && sum !== amount && (
        <Text size="sm" p="sm" role="note">
          {formatMoney(amount, { isExact: true })} {CURRENCY} were charged, which is not the sum of these
          lines, {formatMoney(sum, { isExact: true })} {CURRENCY}. Tell your operator.
        </Text>
      )}
    </>
  )
}

interface RowProps {
  readonly label: ReactNode
  readonly amount: string
}

function Row({ label, amount }: RowProps) {
  return (
    <Table.Tr>
      <Table.Th scope="row" colSpan={3}>
        {label}
      </Table.Th>
      <Table.Td>{formatMoney(amount, { isExact: true })}</Table.Td>
    </Table.Tr>
  )
}

function Line({ line }: { readonly line: Settlement['lines'][number] }) {
  const { item, rate, amount, prompt_part_above: above } = line
  return (
    <Table.Tr>
      <Table.Th scope="row">
        {rateLabel(item)}
        {above !== undefined && `, the part above ${formatNumber(above)} tokens`}
      </Table.Th>
      <Table.Td>{lineQuantity(line)}</Table.Td>
      <Table.Td>
        × {formatMoney(rate, { isExact: true })}
        {/* Without these words, the product would look wrong. */}
        <Text span inherit c="dimmed">
          {` ${linePer(line)}`}
        </Text>
      </Table.Td>
      <Table.Td>{formatMoney(amount, { isExact: true })}</Table.Td>
    </Table.Tr>
  )
}
