import { Button, Center, Group, NativeSelect, Table, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { UsageGrouping } from '../../../src/manage/ports/console.ts'
import { useRefusalCounts, useUsage } from '../../api/usage.ts'
import { useKeyNames } from '../../api/use-list.ts'
import type { UsageRow } from '../../api/wire.ts'
import { useUrlState } from '../../app/url-state.ts'
import { UsagePanel, useMetric } from '../../parts/charts/usage-panel.tsx'
import { type GroupUsage, REST, totalsByGroup } from '../../parts/charts/usage-points.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import { ScrollTable } from '../../parts/tables/scroll-table.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { sumAmounts } from '../../parts/text/decimal.ts'
import { formatDuration, formatNumber, formatShare, formatShort } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { Money } from '../../parts/text/money.tsx'

const GROUPINGS: readonly { readonly value: UsageGrouping; readonly label: string }[] = [
  { value: 'model', label: 'By model' },
  { value: 'key', label: 'By key' },
  { value: 'supplier', label: 'By supplier' },
  { value: 'none', label: 'Total' },
]

// Hourly bars would be too thin over longer ranges.
const SPANS_WITH_HOURS = ['7d', '30d']

/** Usage over time and its breakdown. */
export function Usage({ account }: { readonly account: string }) {
  const [state, setState] = useUrlState({ by: 'model', per: '' })
  const { metric, label, range, choice, span } = useMetric()
  const grouping = GROUPINGS.find(({ value }) => value === state.by)?.value ?? 'model'
  const hasChoice = SPANS_WITH_HOURS.includes(span)
  const granularity = hasChoice && state.per === 'hour' ? ('hour' as const) : range.granularity
  const spell = { ...range, granularity }
  const usage = useUsage(account, { ...spell, group_by: grouping })
  const refusals = useRefusalCounts(account, spell, { isWanted: metric === 'errors' })
  const nameOf = useGroupNames(account, grouping)
  return (
    <>
      <UsagePanel
        title="Usage"
        actions={
          <Group gap="xs">
            <TextLink
              size="sm"
              to="/explore"
              search={{ metric: METRICS_THERE[metric], by: grouping, span, per: granularity }}
            >
              Explore
            </TextLink>
            {choice}
            <NativeSelect
              aria-label="Group by"
              size="xs"
              value={grouping}
              onChange={(event) => setState({ by: event.currentTarget.value })}
              data={[...GROUPINGS]}
            />
            {hasChoice && (
              <NativeSelect
                aria-label="Interval"
                size="xs"
                value={granularity}
                onChange={(event) => setState({ per: event.currentTarget.value === 'hour' ? 'hour' : '' })}
                data={STEPS}
              />
            )}
          </Group>
        }
        label={`${label}, per ${granularity}`}
        usage={usage}
        spell={spell}
        metric={metric}
        nameOf={nameOf}
        refusals={refusals}
      />
      {grouping !== 'none' && <Breakdown rows={usage.data?.data ?? []} grouping={grouping} nameOf={nameOf} />}
    </>
  )
}

const METRICS_THERE = {
  spend: 'spend',
  requests: 'requests',
  tokens: 'tokens',
  errors: 'errors',
  latency: 'first_byte_p50',
} as const

const STEPS = [
  { value: 'hour', label: 'Hourly' },
  { value: 'day', label: 'Daily (UTC)' },
]

/** Shows keys by name, and marks requests without a supplier. */
function useGroupNames(account: string, grouping: UsageGrouping): (group: string | null) => string {
  const keyName = useKeyNames(account)
  return (group) => {
    if (grouping === 'none') return 'All'
    if (group === null || group === '') return grouping === 'supplier' ? 'No supplier' : 'Unknown'
    return grouping === 'key' ? keyName(group) : group
  }
}

interface BreakdownProps {
  readonly rows: readonly UsageRow[]
  readonly grouping: Exclude<UsageGrouping, 'none'>
  readonly nameOf: (group: string | null) => string
}

const SHOWN = 6

const TITLES = { model: 'Model', key: 'Key', supplier: 'Supplier' } as const

/** The figures behind the chart, also for screen readers. */
function Breakdown({ rows, grouping, nameOf }: BreakdownProps) {
  const [isWhole, setWhole] = useState(false)
  const groups = totalsByGroup(rows)
  if (groups.length === 0) return null
  const whole = Number(sumAmounts(groups.map(({ amount }) => amount)))
  const figures = figuresOf(whole)
  return (
    <Panel title={`By ${grouping}`} isFlush>
      <ScrollTable
        label={`Usage by ${grouping}`}
        heads={[
          TITLES[grouping],
          ...figures.map(({ head, from = '' }) => (
            <Table.Th key={head} scope="col" className={`numeric ${from}`}>
              {head}
            </Table.Th>
          )),
        ]}
        className="data-table"
      >
        <Table.Tbody>
          {(isWhole ? groups : groups.slice(0, SHOWN)).map((usage) => (
            <Table.Tr key={usage.isRest ? 'rest' : `group ${usage.group}`}>
              <Table.Td className="overview-group">
                <GroupName
                  grouping={grouping}
                  group={usage.group}
                  name={usage.isRest ? REST : nameOf(usage.group)}
                />
              </Table.Td>
              {figures.map(({ head, from = '', cell }) => (
                <Table.Td key={head} className={`numeral numeric ${from}`}>
                  {cell(usage)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </ScrollTable>
      {groups.length > SHOWN && (
        <Center p="sm">
          <Button variant="subtle" size="xs" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
            {isWhole ? 'Show fewer' : describeMore(groups)}
          </Button>
        </Center>
      )}
    </Panel>
  )
}

function describeMore(groups: readonly GroupUsage[]): string {
  const told = groups.filter(({ isRest }) => !isRest).length
  return told === groups.length ? `Show all ${told}` : `Show the ${told} largest`
}

interface Figure {
  readonly head: string
  readonly from?: 'mantine-visible-from-sm' | 'mantine-visible-from-md'
  readonly cell: (usage: GroupUsage) => ReactNode
}

const SM = 'mantine-visible-from-sm'

function figuresOf(whole: number): readonly Figure[] {
  const shareOf = (part: number, all: number) => formatShare(all === 0 ? 0 : part / all)
  return [
    { head: `Spend, ${CURRENCY}`, cell: ({ amount }) => <Money amount={amount} isBare /> },
    {
      head: 'Share',
      from: SM,
      cell: ({ amount }) => (whole > 0 ? formatShare(Number(amount) / whole) : '–'),
    },
    { head: 'Requests', cell: ({ requests }) => formatNumber(requests) },
    { head: 'Errors', from: SM, cell: ({ failed, requests }) => shareOf(failed, requests) },
    { head: 'Tokens', from: SM, cell: ({ tokens }) => formatShort(tokens) },
    {
      head: 'First byte',
      from: 'mantine-visible-from-md',
      cell: ({ first_byte_ms_avg: ms }) => (ms === null ? '–' : formatDuration(ms)),
    },
  ]
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
  return grouping === 'key' ? (
    <TextLink size="sm" c="inherit" to="/keys/$id" params={{ id: group }}>
      {name}
    </TextLink>
  ) : (
    <TextLink size="sm" c="inherit" to="/models" search={{ model: group }}>
      {name}
    </TextLink>
  )
}
