import { IconBuildingBank } from '@tabler/icons-react'
import type { Dashboard } from '../../api/wire.ts'
import { wholeList } from '../../parts/tables/lists.ts'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatNumber } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { Money } from '../../parts/text/money.tsx'
import type { DashboardProps } from './index.tsx'

type TopAccount = Dashboard['accounts'][number]

const COLUMNS: readonly Column<TopAccount>[] = [
  { head: 'Account', cell: ({ name }) => name },
  { head: 'Requests', isNumeric: true, from: 'sm', cell: ({ requests }) => formatNumber(requests) },
  { head: `Spend, ${CURRENCY}`, isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
  {
    head: 'Margin',
    isNumeric: true,
    from: 'sm',
    cell: ({ margin }) => <Money amount={margin} isBare />,
  },
  { head: 'Balance', isNumeric: true, cell: ({ balance }) => <Money amount={balance} isBare /> },
]

export function TopAccounts({ dashboard }: DashboardProps) {
  return (
    <TablePanel
      title="Top accounts"
      description="Those that spent most."
      actions={
        <TextLink size="sm" to="/operator/accounts">
          All accounts
        </TextLink>
      }
      list={wholeList(dashboard?.accounts)}
      columns={COLUMNS}
      rowKey={({ account_id }) => account_id}
      rowLink={({ account_id }) => ({ to: '/operator/accounts/$id', params: { id: account_id } })}
      empty={{
        icon: IconBuildingBank,
        title: 'No requests in this time',
        children: 'Accounts appear here once they use models.',
      }}
    />
  )
}
