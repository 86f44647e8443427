import { Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconArrowLeft } from '@tabler/icons-react'
import type { LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { TextLink } from '../text/links.tsx'

export interface PageHeaderProps {
  readonly title: string
  /** Shown instead of the title, which then only names the browser tab. */
  readonly heading?: ReactNode
  readonly description?: ReactNode
  readonly actions?: ReactNode
  /** Link to the parent page. */
  readonly back?: { readonly to: NonNullable<LinkProps['to']>; readonly label: string }
}

export function usePageTitle(title: string): void {
  useDocumentTitle(`${title} · Turnpike`)
}

/** The top of every page: its only first-level heading, and the browser tab's title. */
export function PageHeader({ title, heading, description, actions, back }: PageHeaderProps) {
  usePageTitle(title)
  return (
    <Stack gap={6} mb="lg">
      {back !== undefined && (
        <TextLink size="sm" to={back.to} w="fit-content">
          <Group gap={4} wrap="nowrap">
            <IconArrowLeft size={14} aria-hidden />
            {back.label}
          </Group>
        </TextLink>
      )}
      <Group justify="space-between" align="flex-start" gap="md">
        <Stack gap={4} miw={0} flex="1 1 300px">
          <Title order={1} size="h2">
            {heading ?? title}
          </Title>
          {description !== undefined && (
            <Text c="dimmed" size="sm" maw={680} component="div">
              {description}
            </Text>
          )}
        </Stack>
        {actions !== undefined && <Group gap="sm">{actions}</Group>}
      </Group>
    </Stack>
  )
}
