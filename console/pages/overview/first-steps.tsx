import { Group, Stack, Text, ThemeIcon } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useModels } from '../../api/models.ts'
import type { Overview } from '../../api/wire.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import { ButtonLink } from '../../parts/text/links.tsx'
import { pickModel } from '../../parts/text/pick-model.ts'
import { SnippetTabs } from '../../parts/text/snippet-tabs.tsx'

export interface FirstStepsProps {
  readonly account: string
  readonly overview: Overview
}

/** Onboarding for an account without requests. */
export function FirstSteps({ account, overview }: FirstStepsProps) {
  const models = useModels(account)
  const model = pickModel(models.data?.data ?? [], null)
  const { balance, credit_line: credit } = overview.account
  const hasKey = overview.keys.active > 0
  const isFunded = credit === null || Number(balance) + Number(credit) > 0
  return (
    <Panel
      title="First steps"
      description="No request of this account was admitted yet. Start with these three steps."
    >
      <Stack component="ol" gap="lg" className="first-steps">
        <Step
          number={1}
          isDone={isFunded}
          title="Add funds"
          action={isFunded ? undefined : <StepLink to="/billing" label="Billing" />}
        >
          {isFunded
            ? 'This account can pay for requests.'
            : 'Requests are paid from your balance. Billing shows how to pay.'}
        </Step>
        <Step
          number={2}
          isDone={hasKey}
          title="Create an API key"
          action={<StepLink to="/keys" label="Create key" search={{ create: 'yes' }} isMain={!hasKey} />}
        >
          A key lets a program use this account within the limits you set.
        </Step>
        <Step
          number={3}
          isDone={false}
          title="Send a request"
          action={<StepLink to="/playground" label="Playground" isMain={hasKey} />}
        >
          Try it in the playground, or run this with your key in <code>TURNPIKE_API_KEY</code>:
          <div className="first-steps-code">
            <SnippetTabs secret={null} {...model} />
          </div>
        </Step>
      </Stack>
    </Panel>
  )
}

interface StepProps {
  readonly number: number
  readonly isDone: boolean
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}

function Step({ number, isDone, title, action, children }: StepProps) {
  return (
    <li className="first-step">
      <ThemeIcon radius="xl" size={28} variant={isDone ? 'filled' : 'light'} aria-hidden>
        {isDone ? <IconCheck size={16} /> : <span className="numeral">{number}</span>}
      </ThemeIcon>
      <div className="first-step-body">
        <Group justify="space-between" gap="xs" align="center" mih={28}>
          <Text fw={600} size="sm">
            {title}
            {isDone && <span className="sr-only"> (done)</span>}
          </Text>
          {action}
        </Group>
        <Text size="sm" c="dimmed" component="div">
          {children}
        </Text>
      </div>
    </li>
  )
}

interface StepLinkProps {
  readonly to: '/keys' | '/billing' | '/playground'
  readonly label: string
  readonly search?: Record<string, string>
  readonly isMain?: boolean
}

function StepLink({ to, label, search = {}, isMain = false }: StepLinkProps) {
  return (
    <ButtonLink size="xs" variant={isMain ? 'filled' : 'default'} to={to} search={search}>
      {label}
    </ButtonLink>
  )
}
