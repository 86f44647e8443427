import { Card, Group, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { BrandMark } from '../../app/shell/brand.tsx'
import { SchemeToggle } from '../../app/shell/scheme-toggle.tsx'
import { usePageTitle } from '../layout/page-header.tsx'
import { ButtonLink } from '../text/links.tsx'

export interface EntryFrameProps {
  readonly title: string
  readonly description: string
  readonly children: ReactNode
}

/** The page around a form for users who are not signed in. */
export function EntryFrame({ title, description, children }: EntryFrameProps) {
  usePageTitle(title)
  return (
    <div className="entry">
      <header className="entry-head">
        <Group gap={9}>
          <BrandMark size={28} />
          <Text fw={680} size="lg" span>
            Turnpike
          </Text>
        </Group>
        <SchemeToggle />
      </header>
      <main className="entry-main">
        <Card padding="xl" className="panel entry-card">
          <Stack gap={4} mb="lg">
            <Title order={1} size="h2">
              {title}
            </Title>
            <Text c="dimmed" size="sm">
              {description}
            </Text>
          </Stack>
          {children}
        </Card>
      </main>
    </div>
  )
}

interface NoTokenProps {
  /** Where the link is. */
  readonly what: string
  /** What to do if that is of no use. */
  readonly otherwise?: string
}

/** For a link whose end was lost, as when only a part of it was copied. */
export function NoToken({ what, otherwise = '' }: NoTokenProps) {
  return (
    <Stack gap="md">
      <Text size="sm" role="alert">
        Open it from the {what} again, or copy all of it. {otherwise}
      </Text>
      <ButtonLink to="/sign-in" variant="default" size="md" fullWidth>
        Go to sign-in
      </ButtonLink>
    </Stack>
  )
}
