import { Card, Group, SimpleGrid, type SimpleGridProps, Skeleton, Text } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'

export interface StatCardProps {
  readonly label: string
  /** Undefined while loading. */
  readonly value: ReactNode | undefined
  /** A line below: a comparison, a part, a link. */
  readonly hint?: ReactNode
  readonly icon?: Icon
  /** The page behind the figure; the whole card is its link. */
  readonly link?: CardLink
}

interface StatCardsProps extends Pick<SimpleGridProps, 'cols'> {
  readonly cards: readonly StatCardProps[]
}

/** Figures side by side. */
export function StatCards({ cols, cards }: StatCardsProps) {
  return (
    <SimpleGrid {...(cols !== undefined && { cols })} spacing={{ base: 'sm', md: 'md' }}>
      {cards.map((card) => (
        <StatCard key={card.label} {...card} />
      ))}
    </SimpleGrid>
  )
}

type CardLink = Pick<LinkProps, 'to' | 'search'>

/** One figure with its name. */
export function StatCard({ label, value, hint, icon: Glyph, link }: StatCardProps) {
  return (
    <Card padding="md" className="stat-card">
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" c="dimmed" fw={500} component="div">
          {link === undefined ? (
            label
          ) : (
            <Link {...link} className="stat-card-link">
              {label}
            </Link>
          )}
        </Text>
        {Glyph !== undefined && <Glyph size={18} stroke={1.6} className="stat-card-icon" aria-hidden />}
      </Group>
      {value === undefined ? (
        <Skeleton height={28} width="60%" mt={8} />
      ) : (
        <Text component="div" className="stat-card-value numeral">
          {value}
        </Text>
      )}
      {hint !== undefined && (
        <Text size="xs" c="dimmed" mt={4} component="div">
          {hint}
        </Text>
      )}
    </Card>
  )
}
