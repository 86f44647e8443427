import { Group, Alert as Notice, Progress, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { accountPath, getQuery } from '../../api/client.ts'
import { useOverview } from '../../api/overview.ts'
import type { Alert, Overview } from '../../api/wire.ts'
import { useAccount, useMay } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { RangePicker, rangeOf } from '../../parts/charts/range-picker.tsx'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { shareOf } from '../../parts/text/decimal.ts'
import { describeAlert } from '../../parts/text/describe-alert.ts'
import { formatCount, formatMoney } from '../../parts/text/format.ts'
import { ButtonLink, TextLink } from '../../parts/text/links.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'
import { Figures } from './figures.tsx'
import { Usage } from './usage.tsx'

const FirstSteps = lazy(() => import('./first-steps.tsx').then((part) => ({ default: part.FirstSteps })))

export function Page() {
  const account = useAccount()
  const [{ span }, setState] = useUrlState({ span: '7d' })
  const overview = useOverview(account.id, rangeOf(span))
  const mayManageKeys = useMay('manage-keys')
  const isNew = useIsNew(account.id, overview.data)
  return (
    <>
      <PageHeader
        title="Overview"
        description={`Spending and usage of ${overview.data?.account.name ?? account.name}.`}
        actions={
          <>
            <RangePicker span={span} onChange={(value) => setState({ span: value })} />
            {mayManageKeys && (
              <ButtonLink
                leftSection={<IconPlus size={16} aria-hidden />}
                to="/keys"
                search={{ create: 'yes' }}
              >
                Create key
              </ButtonLink>
            )}
          </>
        }
      />
      <Stack gap="lg">
        <ErrorNotice error={overview.error} onRetry={() => void overview.refetch()} />
        <StateNotice account={overview.data?.account} />
        {isNew && mayManageKeys && overview.data !== undefined && (
          <Suspense>
            <FirstSteps account={account.id} overview={overview.data} />
          </Suspense>
        )}
        <Figures overview={overview.data} />
        {!isNew && <Usage account={account.id} />}
        <div className="overview-foot">
          <TierPanel overview={overview.data} />
          <AlertsPanel alerts={overview.data?.alerts} />
        </div>
      </Stack>
    </>
  )
}

/** Why requests are refused, for the members of a suspended or closed account. */
function StateNotice({ account }: { readonly account: Overview['account'] | undefined }) {
  if (account === undefined || account.state === 'active') return null
  return (
    <Notice color="red" title={`This account is ${account.state}`}>
      {account.state_reason !== null && <>Reason: {account.state_reason}. </>}
      Requests with its keys are refused. Ask the operator of this gateway.
    </Notice>
  )
}

/** Whether the account has never made a request, in any range. */
function useIsNew(account: string, overview: Overview | undefined): boolean {
  const isQuiet = overview?.totals.requests === 0
  const latest = useQuery({
    ...getQuery<{ data: unknown[] }>(
      [account, 'settlements', 'latest'],
      accountPath(account, '/settlements'),
      { limit: 1 },
    ),
    enabled: isQuiet,
  })
  return isQuiet && latest.data?.data.length === 0
}

/** The account's limits, and what the next tier requires. */
function TierPanel({ overview }: { readonly overview: Overview | undefined }) {
  return (
    <Panel
      title="Tier"
      description="Limits for the whole account, shared by all keys."
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
          This is the highest tier you can reach by payments. Your operator can set higher limits.
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
  if (Number(next.remaining) <= 0) {
    return <Text size="sm">You have paid enough for {next.name}. It starts at the next full hour.</Text>
  }
  return (
    <Stack gap={6}>
      <Progress.Root size={8}>
        <Progress.Section value={Math.min(share, 1) * 100} aria-label={`Progress to ${next.name}`} />
      </Progress.Root>
      <Text size="sm" className="numeral">
        Pay {formatMoney(next.remaining)} {CURRENCY} more to reach {next.name}.
      </Text>
      <Text size="xs" c="dimmed" className="numeral">
        {formatMoney(paid)} of {formatMoney(next.total_paid_needed)} {CURRENCY} paid in total
      </Text>
    </Stack>
  )
}

function describeLimits({ rpm, tpm }: Overview['tier']['limits']): string {
  const requests = rpm === null ? 'unlimited requests' : formatCount(rpm, 'request')
  const tokens = tpm === null ? 'unlimited tokens' : formatCount(tpm, 'token')
  return `${requests} and ${tokens} a minute`
}

function AlertsPanel({ alerts }: { readonly alerts: readonly Alert[] | undefined }) {
  const maySeeBilling = useMay('see-money')
  return (
    <Panel
      title="Latest alerts"
      actions={
        maySeeBilling && (
          <TextLink size="sm" to="/billing" search={{ tab: 'alerts' }}>
            All alerts
          </TextLink>
        )
      }
    >
      {alerts === undefined && <Skeleton height={90} />}
      {alerts?.length === 0 && (
        <Text size="sm" c="dimmed">
          No alerts. You are alerted when a key reaches a budget threshold or its usage limit, when your
          balance is low, or when a supplier refuses one of your own credentials.
        </Text>
      )}
      {alerts !== undefined && alerts.length > 0 && (
        <Stack component="ul" gap="md" className="alert-list">
          {alerts.map((alert) => (
            <AlertLine key={alert.id} alert={alert} />
          ))}
        </Stack>
      )}
    </Panel>
  )
}

function AlertLine({ alert }: { readonly alert: Alert }) {
  const { title, advice, tone, keyId } = describeAlert(alert)
  return (
    <li className="alert-line" data-tone={tone}>
      <Group justify="space-between" gap="xs" align="baseline">
        <Text size="sm" fw={550} flex="1 1 200px">
          {keyId === null ? (
            title
          ) : (
            <TextLink inherit c="inherit" to="/keys/$id" params={{ id: keyId }}>
              {title}
            </TextLink>
          )}
        </Text>
        <Text size="xs" c="dimmed" span>
          <TimeStamp at={alert.at} as="relative" />
        </Text>
      </Group>
      <Text size="sm" c="dimmed">
        {advice}
      </Text>
    </li>
  )
}
