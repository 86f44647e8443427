import { Anchor, Button, Center, Table, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { UsageGrouping } from '../../../src/gateway/ports/console.ts'
import type { UsageRow } from '../../api/wire.ts'
import { sumAmounts } from '../../parts/decimal.ts'
import { formatDuration, formatNumber, formatShare, formatShort } from '../../parts/format.ts'
import { Money } from '../../parts/money.tsx'
import { Panel } from '../../parts/panel.tsx'
import { type GroupUsage, totalsByGroup } from '../../parts/usage-points.ts'

export interface BreakdownProps {
  readonly rows: readonly UsageRow[]
  readonly grouping: Exclude<UsageGrouping, 'none'>
  readonly nameOf: (group: string | null) => string
}

const SHOWN = 6

const TITLES = { model: 'Model', key: 'Key', supplier: 'Supplier' } as const

/** The figures behind the chart, for whoever wants numbers or cannot see it. */
export function Breakdown({ rows, grouping, nameOf }: BreakdownProps) {
  const [isWhole, setWhole] = useState(false)
  const groups = totalsByGroup(rows)
  if (groups.length === 0) return null
  const whole = Number(sumAmounts(groups.map(({ amount }) => amount)))
  return (
    <Panel title={`By ${grouping}`} isFlush>
      <section
        className="table-scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls must be reachable by keyboard.
        tabIndex={0}
        aria-label={`Usage by ${grouping}`}
      >
        <Table className="data-table">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{TITLES[grouping]}</Table.Th>
              <Table.Th scope="col" className="numeric">
                Spend, USDT
              </Table.Th>
              <Table.Th scope="col" className="numeric mantine-visible-from-sm">
                Share
              </Table.Th>
              <Table.Th scope="col" className="numeric">
                Requests
              </Table.Th>
              <Table.Th scope="col" className="numeric mantine-visible-from-sm">
                Errors
              </Table.Th>
              <Table.Th scope="col" className="numeric mantine-visible-from-sm">
                Tokens
              </Table.Th>
              <Table.Th scope="col" className="numeric mantine-visible-from-md">
                First byte
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {(isWhole ? groups : groups.slice(0, SHOWN)).map((usage) => (
              <Row
                key={usage.group ?? ''}
                usage={usage}
                whole={whole}
                name={<GroupName grouping={grouping} group={usage.group} name={nameOf(usage.group)} />}
              />
            ))}
          </Table.Tbody>
        </Table>
      </section>
      {groups.length > SHOWN && (
        <Center p="sm">
          <Button variant="subtle" size="xs" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
            {isWhole ? 'Show fewer' : `Show all ${groups.length}`}
          </Button>
        </Center>
      )}
    </Panel>
  )
}

interface RowProps {
  readonly usage: GroupUsage
  readonly whole: number
  readonly name: ReactNode
}

function Row({ usage, whole, name }: RowProps) {
  const { requests, failed, tokens, amount, first_byte_ms_avg: firstByteMs } = usage
  return (
    <Table.Tr>
      <Table.Td className="overview-group">{name}</Table.Td>
      <Table.Td className="numeral numeric">
        <Money amount={amount} isBare />
      </Table.Td>
      <Table.Td className="numeral numeric mantine-visible-from-sm">
        {whole > 0 ? formatShare(Number(amount) / whole) : '–'}
      </Table.Td>
      <Table.Td className="numeral numeric">{formatNumber(requests)}</Table.Td>
      <Table.Td className="numeral numeric mantine-visible-from-sm">
        {formatShare(requests === 0 ? 0 : failed / requests)}
      </Table.Td>
      <Table.Td className="numeral numeric mantine-visible-from-sm">{formatShort(tokens)}</Table.Td>
      <Table.Td className="numeral numeric mantine-visible-from-md">
        {firstByteMs === null ? '–' : formatDuration(firstByteMs)}
      </Table.Td>
    </Table.Tr>
  )
}

interface GroupNameProps {
  readonly grouping: BreakdownProps['grouping']
  readonly group: string | null
  readonly name: string
}

function GroupName({ grouping, group, name }: GroupNameProps) {
  if (group === null || grouping === 'supplier') {
    return (
      <Text size="sm" span>
        {name}
      </Text>
    )
  }
  return (
    <Anchor
      size="sm"
      c="inherit"
      renderRoot={(props) =>
        grouping === 'key' ? (
          <Link to="/keys/$id" params={{ id: group }} {...props} />
        ) : (
          <Link to="/models" search={{ model: group }} {...props} />
        )
      }
    >
      {name}
    </Anchor>
  )
}
