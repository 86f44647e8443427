import { Card, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

export interface PanelProps {
  readonly title?: string | undefined
  readonly description?: ReactNode
  readonly actions?: ReactNode
  /** Without padding, for tables that reach the edge. */
  readonly isFlush?: boolean
  /** Names and values, above the children. */
  readonly facts?: readonly Fact[]
  readonly children?: ReactNode
}

/** A titled area of a page. */
export function Panel({ title, description, actions, isFlush = false, facts, children }: PanelProps) {
  const hasHead = title !== undefined || actions !== undefined
  return (
    <Card padding={0} className="panel">
      {hasHead && (
        <Group justify="space-between" align="flex-start" className="panel-head" gap="sm">
          <Stack gap={2} flex="1 1 240px" miw={0}>
            {title !== undefined && (
              <Title order={2} size="h5">
                {title}
              </Title>
            )}
            {description !== undefined && (
              <Text size="sm" c="dimmed" component="div">
                {description}
              </Text>
            )}
          </Stack>
          {actions !== undefined && <Group gap="xs">{actions}</Group>}
        </Group>
      )}
      <div className={isFlush ? 'panel-flush' : 'panel-body'}>
        {facts !== undefined && <Facts facts={facts} />}
        {children}
      </div>
    </Card>
  )
}

export interface Fact {
  readonly label: string
  readonly value: ReactNode
}

/** Names and values side by side; stacked on a phone. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(({ label, value }) => (
        <div key={label} className="fact">
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
