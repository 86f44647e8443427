import { Button, Code, Group, Stack, Text } from '@mantine/core'
import { IconActivity, IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import type { ShownList } from '../../../src/edges/management-api/endpoint.ts'
import { accountPath, getQuery } from '../../api/client.ts'
import { useKey } from '../../api/keys.ts'
import { useRefusalCounts, useUsage } from '../../api/usage.ts'
import type { ApiKey, IssuedKey, Settlement } from '../../api/wire.ts'
import { useAccount, useMay } from '../../app/account.ts'
import { useUrlState } from '../../app/url-state.ts'
import { LimitBar } from '../../parts/charts/limit-bar.tsx'
import { UsagePanel, useMetric } from '../../parts/charts/usage-panel.tsx'
import { sumUsage, type UsageSum } from '../../parts/charts/usage-points.ts'
import { IssuedKeyDialog } from '../../parts/keys/issued-key-dialog.tsx'
import { KeyActions } from '../../parts/keys/key-actions.tsx'
import { EditKey } from '../../parts/keys/key-form.tsx'
import { KeyStateBadge } from '../../parts/keys/key-state-badge.tsx'
import { describePeriod, describeRate, describeRoutes, describeSecret } from '../../parts/keys/key-words.ts'
import { DetailPage } from '../../parts/layout/detail-page.tsx'
import { OutcomeBadge } from '../../parts/layout/outcome-badge.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { summarizeUsage } from '../../parts/prices/usage-words.ts'
import { asList } from '../../parts/tables/lists.ts'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { CopyButton } from '../../parts/text/copy-button.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import {
  capitalize,
  formatCount,
  formatDuration,
  formatMoney,
  formatShare,
  formatShort,
} from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { Money } from '../../parts/text/money.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

const BACK = { to: '/keys', label: 'API keys' } as const

export function Page() {
  const account = useAccount()
  const { id = '' } = useParams({ strict: false })
  return (
    <DetailPage query={useKey(account.id, id)} title="API key" back={BACK}>
      {(key) => <KeyPage account={account.id} apiKey={key} />}
    </DetailPage>
  )
}

interface KeyPageProps {
  readonly account: string
  readonly apiKey: ApiKey
}

function KeyPage({ account, apiKey }: KeyPageProps) {
  const [{ edit }, setAddress] = useUrlState({ edit: '' })
  const [issued, setIssued] = useState<IssuedKey | null>(null)
  const openEdit = () => setAddress({ edit: 'yes' })
  const isUsable = useMay('manage-keys') && apiKey.state !== 'revoked'
  return (
    <>
      <PageHeader
        title={apiKey.name}
        heading={
          <Group gap="sm" component="span" className="key-heading">
            {apiKey.name}
            <KeyStateBadge apiKey={apiKey} />
          </Group>
        }
        description={<Code>{describeSecret(apiKey)}</Code>}
        back={BACK}
        actions={
          isUsable && (
            <>
              <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={openEdit}>
                Edit
              </Button>
              <KeyActions account={account} apiKey={apiKey} onEdit={openEdit} onIssued={setIssued} />
            </>
          )
        }
      />
      <Stack gap="lg">
        <KeyMoney apiKey={apiKey} />
        <KeyUsage account={account} apiKey={apiKey} />
        <KeyFacts apiKey={apiKey} />
        <RecentRequests account={account} apiKey={apiKey} />
      </Stack>
      {edit !== '' && isUsable && (
        <EditKey account={account} apiKey={apiKey} onClose={() => setAddress({ edit: '' })} />
      )}
      {issued !== null && (
        <IssuedKeyDialog account={account} issued={issued} onClose={() => setIssued(null)} />
      )}
    </>
  )
}

interface KeyMoneyProps {
  readonly apiKey: ApiKey
}

/** The key's spending against its limit and budget. */
function KeyMoney({ apiKey }: KeyMoneyProps) {
  return (
    <div className="key-bars">
      <Panel title="Usage limit" description="Requests are refused once it is spent.">
        <LimitState apiKey={apiKey} />
      </Panel>
      <Panel title="Budget" description="Sends alerts and never blocks requests.">
        <BudgetState apiKey={apiKey} />
      </Panel>
    </div>
  )
}

function LimitState({ apiKey: { name, usage, usage_limit: limit } }: KeyMoneyProps) {
  if (limit === null) {
    return (
      <Text size="sm" component="div">
        No limit. Spent <Money amount={usage.spent} /> in total.
      </Text>
    )
  }
  return (
    <LimitBar
      label={`Usage limit of ${name}`}
      spent={usage.spent}
      limit={limit.amount}
      hint={<LimitHint usage={usage} period={describePeriod(limit.period)} />}
    />
  )
}

function LimitHint({ usage, period }: Pick<ApiKey, 'usage'> & { readonly period: string }): ReactNode {
  const { remaining, held, resets_at: resetsAt } = usage
  return (
    <>
      {period}
      {remaining !== null && ` · ${formatMoney(remaining)} left`}
      {Number(held) > 0 && `, of which running requests reserve ${formatMoney(held)}`}
      {resetsAt !== null && (
        <>
          {' · resets '}
          <TimeStamp at={resetsAt} as="relative" />
        </>
      )}
    </>
  )
}

function BudgetState({ apiKey: { name, usage, budget } }: KeyMoneyProps) {
  if (budget === null) {
    return (
      <Text size="sm" component="div">
        No budget. Spent <Money amount={usage.spent_this_month} /> this month.
      </Text>
    )
  }
  return (
    <LimitBar
      label={`Budget of ${name}`}
      spent={usage.spent_this_month}
      limit={budget.amount}
      warnsFrom={Math.min(...budget.thresholds) / 100}
      hint={`this month · alerts at ${budget.thresholds.map((threshold) => `${threshold}%`).join(', ')}`}
    />
  )
}

function KeyUsage({ account, apiKey }: KeyPageProps) {
  const { metric, label, range, choice, spanChoice } = useMetric()
  const usage = useUsage(account, { ...range, group_by: 'none', key_id: apiKey.id })
  const rows = usage.data?.data
  const refusals = useRefusalCounts(account, range, { isWanted: metric === 'errors', keyId: apiKey.id })
  return (
    <UsagePanel
      title="Usage"
      description={rows && <Total total={sumUsage(rows)} />}
      actions={
        <>
          {choice}
          {spanChoice}
        </>
      }
      label={`${label} of ${apiKey.name}, per ${range.granularity}`}
      usage={usage}
      rows={rows}
      spell={range}
      metric={metric}
      nameOf={() => apiKey.name}
      refusals={refusals}
      height={240}
    />
  )
}

function Total({ total }: { readonly total: UsageSum }) {
  return (
    <>
      <Money amount={total.amount} /> · {formatCount(total.requests, 'request')} · {formatShort(total.tokens)}{' '}
      tokens · {formatShare(total.requests === 0 ? 0 : total.failed / total.requests)} errors
    </>
  )
}

function KeyFacts({ apiKey }: { readonly apiKey: ApiKey }) {
  const { id, created_at: createdAt, expires_at: expiresAt, shared_fallback: fallsBack } = apiKey
  const { created_by: createdBy, last_used_at: lastUsedAt } = apiKey
  return (
    <Panel
      title="Settings"
      facts={[
        { label: 'Suppliers', value: capitalize(describeRoutes(apiKey)) },
        { label: 'Rate limit', value: capitalize(describeRate(apiKey)) },
        { label: 'Models', value: <Allowlist list={apiKey.model_allowlist} /> },
        { label: 'Shared fallback', value: fallsBack ? 'On' : 'Off' },
        { label: 'Expires', value: expiresAt === null ? 'Never' : <TimeStamp at={expiresAt} /> },
        { label: 'Last used', value: lastUsedAt === null ? 'Never' : <TimeStamp at={lastUsedAt} /> },
        { label: 'Created', value: <TimeStamp at={createdAt} /> },
        { label: 'Created by', value: createdBy ?? 'The operator or a former member' },
        {
          label: 'ID',
          value: (
            <Group gap={4} wrap="nowrap">
              <Code>{id}</Code>
              <CopyButton value={id} what="the id" />
            </Group>
          ),
        },
      ]}
    />
  )
}

function Allowlist({ list }: { readonly list: readonly string[] | null }) {
  if (list === null) return 'All'
  return (
    <Group gap={4}>
      {list.map((entry) => (
        <Code key={entry}>{entry}</Code>
      ))}
    </Group>
  )
}

const COLUMNS: readonly Column<Settlement>[] = [
  {
    head: 'Model',
    cell: ({ model, started_at }) => (
      <>
        {model}
        <Text size="xs" c="dimmed" fw={400} mt={4} hiddenFrom="sm" component="div">
          <TimeStamp at={started_at} as="relative" />
        </Text>
      </>
    ),
  },
  { head: 'Time', from: 'sm', cell: ({ started_at }) => <TimeStamp at={started_at} as="relative" /> },
  { head: 'Outcome', from: 'sm', cell: ({ outcome }) => <OutcomeBadge outcome={outcome} /> },
  {
    head: 'Usage',
    from: 'sm',
    isNumeric: true,
    cell: ({ usage }) => summarizeUsage(usage),
  },
  {
    head: 'Duration',
    from: 'md',
    isNumeric: true,
    cell: ({ duration_ms }) => formatDuration(duration_ms),
  },
  { head: `Charged, ${CURRENCY}`, isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
]

const SHOWN = 5

function RecentRequests({ account, apiKey: { id } }: KeyPageProps) {
  const query = { key_id: id, limit: SHOWN }
  const path = accountPath(account, '/settlements')
  const latest = useQuery(getQuery<ShownList<Settlement>>([account, 'settlements', query], path, query))
  return (
    <TablePanel
      title="Latest requests"
      actions={
        <TextLink size="sm" to="/requests" search={{ key_id: id }}>
          All requests of this key
        </TextLink>
      }
      list={asList(latest)}
      columns={COLUMNS}
      rowKey={({ request_id }) => request_id}
      rowLink={({ request_id }) => ({ to: '/requests/$id', params: { id: request_id } })}
      empty={{
        icon: IconActivity,
        title: 'Not used yet',
        children: 'Requests made with this key appear here.',
      }}
    />
  )
}
