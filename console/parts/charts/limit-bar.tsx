import { Group, Progress, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { CURRENCY } from '../text/currency.ts'
import { shareOf } from '../text/decimal.ts'
import { formatMoney, formatShare } from '../text/format.ts'

export interface LimitBarProps {
  /** Accessible name: "Usage limit of ci". */
  readonly label: string
  readonly spent: string
  readonly limit: string
  /** A line below. */
  readonly hint?: ReactNode
  /** The bar warns from this share on. */
  readonly warnsFrom?: number
}

const WARNS_FROM = 0.8

/** Shows how much of an amount is used. */
export function LimitBar({ label, spent, limit, hint, warnsFrom = WARNS_FROM }: LimitBarProps) {
  const share = shareOf(spent, limit)
  const colour = share >= 1 ? 'red' : share >= warnsFrom ? 'yellow' : 'teal'
  return (
    <Stack gap={5} className="limit-bar">
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Text size="sm" span className="numeral" lh={1.3}>
          {formatMoney(spent)}
          <Text span inherit c="dimmed">
            {' '}
            of {`${formatMoney(limit)}\u00a0${CURRENCY}`}
          </Text>
        </Text>
        <Text size="xs" c="dimmed" span className="numeral">
          {formatShare(share)}
        </Text>
      </Group>
      <Progress.Root size={6}>
        <Progress.Section value={Math.min(share, 1) * 100} color={colour} aria-label={label} />
      </Progress.Root>
      {hint !== undefined && (
        <Text size="xs" c="dimmed" component="div">
          {hint}
        </Text>
      )}
    </Stack>
  )
}
