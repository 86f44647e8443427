import { Box, Group, Stack, Text, Tooltip } from '@mantine/core'
import { IconActivity, IconFilterOff, IconRefreshAlert } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { accountPath, type Query } from '../../api/client.ts'
import type { Settlement } from '../../api/wire.ts'
import { useAccount, useMay } from '../../app/account.ts'
import type { EmptyStateProps } from '../../parts/layout/empty-state.tsx'
import { OutcomeBadge } from '../../parts/layout/outcome-badge.tsx'
import { summarizeUsage } from '../../parts/prices/usage-words.ts'
import { useRequestList } from '../../parts/requests/use-request-list.ts'
import { CutText } from '../../parts/tables/cut-text.tsx'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatDuration } from '../../parts/text/format.ts'
import { ButtonLink } from '../../parts/text/links.tsx'
import { Money } from '../../parts/text/money.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

interface RequestTableProps {
  readonly query: Query
  readonly filters: ReactNode
  readonly keyName: (id: string) => string
  readonly isNarrowed: boolean
  readonly onClear: () => void
}

export function RequestTable({ query, filters, keyName, isNarrowed, onClear }: RequestTableProps) {
  const account = useAccount()
  const list = useRequestList([account.id, 'settlements'], accountPath(account.id, '/settlements'), query)
  const isSearching = list.rows.length === 0 && list.hasMore
  return (
    <TablePanel
      label="Requests"
      filters={filters}
      list={{ ...list, isPending: list.isPending || (isSearching && list.isLoadingMore) }}
      columns={columnsOf(keyName)}
      rowKey={({ request_id }) => request_id}
      rowLink={({ request_id }) => ({ to: '/requests/$id', params: { id: request_id } })}
      empty={isNarrowed ? noMatch(onClear) : NONE}
    />
  )
}

function noMatch(onClear: () => void): EmptyStateProps {
  return {
    icon: IconFilterOff,
    title: 'No matching requests',
    children:
      'Choose a longer time range or fewer filters. Requests that were refused on arrival are under Refused.',
    action: { label: 'Clear filters', onClick: onClear },
  }
}

const NONE: EmptyStateProps = {
  icon: IconActivity,
  title: 'Waiting for the first request',
  children: 'It appears here as soon as it ends, with its attempts, tokens and price.',
  action: <FirstRequest />,
}

function FirstRequest() {
  if (!useMay('manage-keys')) return null
  return (
    <Group justify="center">
      <ButtonLink to="/playground">Try the playground</ButtonLink>
      <ButtonLink variant="default" to="/connect">
        Connect a program
      </ButtonLink>
    </Group>
  )
}

function columnsOf(keyName: (id: string) => string): readonly Column<Settlement>[] {
  return [
    {
      head: 'Model',
      cell: (settlement) => (
        <Stack gap={0} data-request={settlement.request_id}>
          <span className="request-model">
            <CutText text={settlement.model} width={23} />
          </span>
          <Text size="xs" c="dimmed" fw={400} visibleFrom="sm">
            <CutText text={settlement.supplier ?? 'no supplier'} width={25} />
          </Text>
          <Text size="xs" c="dimmed" fw={400} hiddenFrom="sm">
            <TimeStamp at={settlement.started_at} as="relative" />
          </Text>
          <Box hiddenFrom="sm" mt={4} fw={400}>
            <Outcome settlement={settlement} />
          </Box>
        </Stack>
      ),
    },
    {
      head: 'Time',
      from: 'sm',
      cell: ({ started_at }) => (
        <span className="request-time">
          <TimeStamp at={started_at} />
        </span>
      ),
    },
    { head: 'Key', cell: ({ key_id }) => <CutText text={keyName(key_id)} width={13} />, from: 'lg' },
    {
      head: 'Outcome',
      from: 'sm',
      cell: (settlement) => <Outcome settlement={settlement} />,
    },
    { head: 'Usage', isNumeric: true, from: 'md', cell: ({ usage }) => summarizeUsage(usage) },
    {
      head: 'First byte',
      isNumeric: true,
      from: 'lg',
      cell: ({ first_byte_ms }) => (first_byte_ms === null ? '–' : formatDuration(first_byte_ms)),
    },
    {
      head: 'Duration',
      isNumeric: true,
      from: 'md',
      cell: ({ duration_ms }) => formatDuration(duration_ms),
    },
    { head: CURRENCY, isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
  ]
}

function Outcome({ settlement }: { readonly settlement: Settlement }) {
  const { outcome, error_code: code, attempts } = settlement
  return (
    <Stack gap={2}>
      <Group gap={6} wrap="nowrap">
        <OutcomeBadge outcome={outcome} />
        <Retried attempts={attempts.length} />
      </Group>
      {code !== null && (
        <Text span size="xs" c="dimmed" fw={400}>
          <CutText text={code} width={16} isMono />
        </Text>
      )}
    </Stack>
  )
}

function Retried({ attempts }: { readonly attempts: number }) {
  if (attempts < 2) return null
  const said = `It took ${attempts} attempts`
  return (
    <Tooltip label={said}>
      <IconRefreshAlert size={16} stroke={1.7} role="img" aria-label={said} className="request-retried" />
    </Tooltip>
  )
}
