import { Alert, NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconReportMoney } from '@tabler/icons-react'
import { useAccountNames } from '../../api/operator.ts'
import { useUrlState } from '../../app/url-state.ts'
import { RangePicker, rangeOf } from '../../parts/charts/range-picker.tsx'
import { StatCard } from '../../parts/charts/stat-card.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { wholeList } from '../../parts/tables/lists.ts'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatNumber, formatShare } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { Money } from '../../parts/text/money.tsx'
import {
  type Grouping,
  type GroupMargin,
  groupUsage,
  isGrouping,
  marginShare,
  sumMargins,
} from './margins.ts'
import { MAX_ROWS, useOperatorUsage } from './use-operator-usage.ts'

const GROUPINGS: readonly { readonly value: Grouping; readonly label: string }[] = [
  { value: 'model', label: 'By model' },
  { value: 'supplier', label: 'By supplier' },
  { value: 'account_id', label: 'By account' },
]

/** What accounts paid, what suppliers charge, and what is left. */
export function Page() {
  const [{ by, span }, setState] = useUrlState({ by: 'model', span: '30d' })
  const grouping = isGrouping(by) ? by : 'model'
  const usage = useOperatorUsage(rangeOf(span), grouping)
  const rows = usage.data?.data
  const groups = rows && groupUsage(rows, grouping)
  return (
    <>
      <PageHeader
        title="Cost and margin"
        description="What accounts paid, what suppliers charge for it, and what is left. By the day (UTC) in which requests ended."
        actions={<RangePicker span={span} onChange={(value) => setState({ span: value })} />}
      />
      <Stack gap="lg">
        {rows !== undefined && rows.length >= MAX_ROWS && (
          <Alert color="yellow" title="Incomplete">
            There is too much usage to add up here: these sums lack the last days. Choose a shorter time.
          </Alert>
        )}
        <Totals groups={groups} />
        <TablePanel
          title="Breakdown"
          label="Cost and margin"
          actions={
            <NativeSelect
              aria-label="Group by"
              size="xs"
              value={grouping}
              onChange={(event) => setState({ by: event.currentTarget.value })}
              data={[...GROUPINGS]}
            />
          }
          list={wholeList(groups, usage.error)}
          rowKey={({ group }) => group ?? ''}
          columns={useColumns(grouping)}
          empty={{
            icon: IconReportMoney,
            title: 'No usage in this time',
            children: 'Requests appear here once they are settled.',
          }}
        />
      </Stack>
    </>
  )
}

function Totals({ groups }: { readonly groups: readonly GroupMargin[] | undefined }) {
  const total = groups && sumMargins(groups)
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <StatCard label="Requests" value={total && formatNumber(total.requests)} />
      <StatCard label="Charged" value={total && <Money amount={total.amount} />} />
      <StatCard label="Cost" value={total && <Money amount={total.cost} />} />
      <StatCard
        label="Margin"
        value={total && <Money amount={total.margin} />}
        hint={total && describeShare(total)}
      />
    </SimpleGrid>
  )
}

function describeShare(sum: Pick<GroupMargin, 'amount' | 'margin'>): string {
  const share = marginShare(sum)
  return share === null ? 'Nothing was charged' : `${formatShare(share)} of what was charged`
}

function useColumns(grouping: Grouping): readonly Column<GroupMargin>[] {
  const nameOf = useAccountNames()
  return [
    {
      head: { model: 'Model', supplier: 'Supplier', account_id: 'Account' }[grouping],
      cell: ({ group, amount }) => (
        <>
          <GroupName grouping={grouping} group={group} nameOf={nameOf} />
          <Text size="xs" c="dimmed" fw={400} mt={4} hiddenFrom="sm" component="div">
            Charged <Money amount={amount} />
          </Text>
        </>
      ),
    },
    { head: 'Requests', isNumeric: true, from: 'sm', cell: ({ requests }) => formatNumber(requests) },
    {
      head: `Charged, ${CURRENCY}`,
      isNumeric: true,
      from: 'sm',
      cell: ({ amount }) => <Money amount={amount} isBare />,
    },
    { head: `Cost, ${CURRENCY}`, isNumeric: true, cell: ({ cost }) => <Money amount={cost} isBare /> },
    { head: `Margin, ${CURRENCY}`, isNumeric: true, cell: ({ margin }) => <Money amount={margin} isBare /> },
    {
      head: 'Margin, %',
      isNumeric: true,
      from: 'sm',
      cell: (row) => {
        const share = marginShare(row)
        return share === null ? '–' : formatShare(share)
      },
    },
  ]
}

interface GroupNameProps {
  readonly grouping: Grouping
  readonly group: string | null
  readonly nameOf: (account: string) => string
}

function GroupName({ grouping, group, nameOf }: GroupNameProps) {
  if (group === null) return 'No supplier'
  const params = { id: group }
  const name = grouping === 'account_id' ? nameOf(group) : group
  return (
    <TextLink size="sm" c="inherit" to={PAGES[grouping]} params={params}>
      {name}
    </TextLink>
  )
}

const PAGES = {
  model: '/operator/models/$id',
  supplier: '/operator/suppliers/$id',
  account_id: '/operator/accounts/$id',
} as const
