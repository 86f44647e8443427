import { Progress, Skeleton, Stack, Text } from '@mantine/core'
import type { Overview } from '../../api/wire.ts'
import { shareOf } from '../../parts/decimal.ts'
import { formatMoney, formatNumber } from '../../parts/format.ts'
import { Panel } from '../../parts/panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

/** How much the account may ask for in a minute, and what it takes to be allowed more. */
export function TierPanel({ overview }: { readonly overview: Overview | undefined }) {
  return (
    <Panel
      title="Tier"
      description="Limits of the whole account, all keys together."
      actions={overview && <StatusBadge state={overview.tier.name} tone="info" />}
    >
      {overview === undefined ? <Skeleton height={90} /> : <TierFacts overview={overview} />}
    </Panel>
  )
}

function TierFacts({ overview: { tier, account } }: { readonly overview: Overview }) {
  return (
    <Stack gap="md">
      <Text size="sm" className="numeral">
        {describeLimits(tier.limits)}
      </Text>
      {account.tier_assignment !== null && (
        <Text size="sm" c="dimmed" component="div">
          Set by your operator
          {account.tier_assignment.expires_at !== null && (
            <>
              {' '}
              until <TimeStamp at={account.tier_assignment.expires_at} as="date" />; then{' '}
              {account.earned_tier} again
            </>
          )}
          .
        </Text>
      )}
      {tier.next === null ? (
        <Text size="sm" c="dimmed">
          This is the highest tier that payments lead to. Your operator can set more.
        </Text>
      ) : (
        <NextTier next={tier.next} paid={account.total_paid} />
      )}
    </Stack>
  )
}

interface NextTierProps {
  readonly next: NonNullable<Overview['tier']['next']>
  readonly paid: string
}

function NextTier({ next, paid }: NextTierProps) {
  const share = shareOf(paid, next.total_paid_needed)
  return (
    <Stack gap={6}>
      <Progress.Root size={8}>
        <Progress.Section value={Math.min(share, 1) * 100} aria-label={`Progress to ${next.name}`} />
      </Progress.Root>
      <Text size="sm" className="numeral">
        {Number(next.remaining) > 0
          ? `${formatMoney(next.remaining)} USDT more in payments lead to ${next.name}.`
          : `Enough is paid for ${next.name}: it begins at the next full hour.`}
      </Text>
      <Text size="xs" c="dimmed" className="numeral">
        {formatMoney(paid)} of {formatMoney(next.total_paid_needed)} USDT paid in total
      </Text>
    </Stack>
  )
}

function describeLimits({ rpm, tpm }: Overview['tier']['limits']): string {
  const requests = rpm === null ? 'any number of requests' : `${formatNumber(rpm)} requests`
  const tokens = tpm === null ? 'any number of tokens' : `${formatNumber(tpm)} tokens`
  return `${requests} and ${tokens} a minute`
}
