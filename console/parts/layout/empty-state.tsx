import { Button, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'

export interface EmptyStateProps {
  readonly icon: Icon
  readonly title: string
  /** What will appear here, and how. */
  readonly children?: ReactNode
  /** The only content of the page, so the title is its first-level heading. */
  readonly isWholePage?: boolean
  /** Creates the first one, or clears the filters. */
  readonly action?: ReactNode | EmptyAction
}

export interface EmptyAction {
  readonly label: string
  readonly onClick: () => void
  /** The primary action. */
  readonly isMain?: boolean
}

function isAction(action: ReactNode | EmptyAction): action is EmptyAction {
  return typeof action === 'object' && action !== null && 'onClick' in action
}

/** Shown instead of an empty list: says what belongs here and how to start. */
export function EmptyState({ icon: Glyph, title, children, action, isWholePage = false }: EmptyStateProps) {
  return (
    <Stack align="center" gap="sm" py={56} px="md" ta="center">
      <ThemeIcon variant="light" size={52} radius="xl" aria-hidden>
        <Glyph size={26} stroke={1.6} />
      </ThemeIcon>
      <Title order={isWholePage ? 1 : 2} size="h4">
        {title}
      </Title>
      {children !== undefined && (
        <Text c="dimmed" maw={440} size="sm" component="div">
          {children}
        </Text>
      )}
      {isAction(action) ? (
        <Button variant={action.isMain ? 'filled' : 'default'} onClick={action.onClick}>
          {action.label}
        </Button>
      ) : (
        action
      )}
    </Stack>
  )
}
