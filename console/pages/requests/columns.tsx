import { Group, Stack, Text, Tooltip } from '@mantine/core'
import { IconRefreshAlert } from '@tabler/icons-react'
import type { Settlement } from '../../api/wire.ts'
import { formatDuration, formatNumber } from '../../parts/format.ts'
import { Money } from '../../parts/money.tsx'
import { OutcomeBadge } from '../../parts/outcome-badge.tsx'
import type { Column } from '../../parts/table-panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

export function columnsOf(keyName: (id: string) => string): readonly Column<Settlement>[] {
  return [
    {
      head: 'Model',
      cell: ({ model, supplier, request_id, started_at }) => (
        <Stack gap={0} data-request={request_id}>
          <Text inherit className="request-model">
            {model}
          </Text>
          <Text size="xs" c="dimmed" fw={400} visibleFrom="sm">
            {supplier ?? 'served by nobody'}
          </Text>
          <Text size="xs" c="dimmed" fw={400} hiddenFrom="sm">
            <TimeStamp at={started_at} as="relative" />
          </Text>
        </Stack>
      ),
    },
    { head: 'Time', cell: ({ started_at }) => <TimeStamp at={started_at} />, from: 'sm' },
    { head: 'Key', cell: ({ key_id }) => keyName(key_id), from: 'lg' },
    {
      head: 'Outcome',
      cell: (settlement) => (
        <Group gap={6} wrap="nowrap">
          <OutcomeBadge outcome={settlement.outcome} />
          <Retried attempts={settlement.attempts.length} />
        </Group>
      ),
    },
    { head: 'Tokens', isNumeric: true, from: 'md', cell: ({ usage }) => tokensOf(usage) },
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
    { head: 'USDT', isNumeric: true, cell: ({ amount }) => <Money amount={amount} isBare /> },
  ]
}

function tokensOf(usage: Settlement['usage']): string {
  const prompt = usage.input + usage.cache_read + usage.cache_write
  if (usage.images > 0) return usage.images === 1 ? '1 picture' : `${usage.images} pictures`
  return `${formatNumber(prompt)} → ${formatNumber(usage.output)}`
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
