import { SimpleGrid } from '@mantine/core'
import { IconCoin, IconGauge, IconReceipt, IconScale } from '@tabler/icons-react'
import type { Account } from '../../api/wire.ts'
import { formatMoney, formatNumber, formatShort } from '../../parts/format.ts'
import { Money } from '../../parts/money.tsx'
import { StatCard } from '../../parts/stat-card.tsx'

export function Figures({ account }: { readonly account: Account }) {
  const { limits, credit_line: creditLine } = account
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="md">
      <StatCard
        label="Balance"
        value={<Money amount={account.balance} />}
        hint={
          creditLine === null
            ? 'May go below zero without end'
            : `May go down to ${formatMoney(creditLine === '0' ? '0' : `-${creditLine}`)}`
        }
        icon={IconCoin}
      />
      <StatCard
        label="Paid in all"
        value={<Money amount={account.total_paid} />}
        hint={`Earns ${account.earned_tier}`}
        icon={IconReceipt}
      />
      <StatCard
        label="Requests a minute"
        value={limits.rpm === null ? 'No limit' : formatNumber(limits.rpm)}
        hint="Of the whole account"
        icon={IconGauge}
      />
      <StatCard
        label="Tokens a minute"
        value={limits.tpm === null ? 'No limit' : formatShort(limits.tpm)}
        hint="Of the whole account"
        icon={IconScale}
      />
    </SimpleGrid>
  )
}
