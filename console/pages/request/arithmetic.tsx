import { Table, Text } from '@mantine/core'
import type { Settlement } from '../../api/wire.ts'
import { formatMoney, formatNumber } from '../../parts/format.ts'
import { addUpPrice, type PriceLine } from '../../parts/price-lines.ts'

/** How the amount comes about, line by line. */
export function Arithmetic({ settlement }: { readonly settlement: Settlement }) {
  const { price, usage, amount } = settlement
  if (price === null) {
    return (
      <Text size="sm" c="dimmed">
        No supplier served it, so nothing was charged.
      </Text>
    )
  }
  const { lines, rounding, total } = addUpPrice(usage, price)
  return (
    <section
      className="table-scroll"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls must be reachable by keyboard.
      tabIndex={0}
      aria-label="Price, line by line"
    >
      <Table className="arithmetic">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">What</Table.Th>
            <Table.Th scope="col">How many</Table.Th>
            <Table.Th scope="col">Price</Table.Th>
            <Table.Th scope="col">USDT</Table.Th>
          </Table.Tr>
        </Table.Thead>
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
      </Table>
      {total !== amount && (
        <Text size="sm" p="sm" role="note">
          Charged were {formatMoney(amount, { isExact: true })} USDT. Tell your operator: the lines should add
          up to that.
        </Text>
      )}
    </section>
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
