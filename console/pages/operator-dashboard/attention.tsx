import { Group, Stack, Text } from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import type { Dashboard } from '../../api/wire.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import { TextLink } from '../../parts/text/links.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'
import type { DashboardProps } from './index.tsx'

/** Open alerts, and what the doctor finds without calling anyone. */
export function Attention({ dashboard }: DashboardProps) {
  if (dashboard === undefined) return null
  const { alerts } = dashboard
  const told = new Set(alerts.filter(({ kind }) => kind === 'sink.failing').map(({ subject }) => subject))
  // The alert about a failing sink says the same.
  const findings = dashboard.findings.filter(({ part, id }) => part !== 'sink' || !told.has(id ?? ''))
  const isCalm = alerts.length === 0 && findings.length === 0
  return (
    <Panel
      title="Needs attention"
      actions={
        <TextLink size="sm" to="/operator/alerts">
          All alerts
        </TextLink>
      }
    >
      {isCalm ? (
        <Group gap="xs" wrap="nowrap">
          <IconCircleCheck size={18} aria-hidden color="var(--mantine-color-teal-6)" />
          <Text size="sm">Nothing. There are no open alerts, and sinks and alert channels work.</Text>
        </Group>
      ) : (
        <Stack component="ul" gap="md" className="alert-list">
          {alerts.map((alert) => (
            <AlertLine key={alert.id} alert={alert} />
          ))}
          {findings.map((finding) => (
            <FindingLine key={`${finding.part} ${finding.id} ${finding.problem}`} finding={finding} />
          ))}
        </Stack>
      )}
    </Panel>
  )
}

function AlertLine({ alert }: { readonly alert: Dashboard['alerts'][number] }) {
  return (
    <li className="alert-line" data-tone={alert.kind === 'circuit.open' ? 'bad' : undefined}>
      <Group justify="space-between" gap="xs" align="baseline">
        <TextLink size="sm" fw={550} to="/operator/alerts" search={{ kind: alert.kind }}>
          {alert.title}
        </TextLink>
        <Text size="xs" c="dimmed" span>
          <TimeStamp at={alert.at} as="relative" />
        </Text>
      </Group>
    </li>
  )
}

const PLACES = {
  sink: { to: '/operator/sinks', noun: 'Sink' },
  alert_channel: { to: '/operator/alerts', search: { tab: 'channels' }, noun: 'Alert channel' },
  refusals: { to: '/operator/system', noun: 'Refused requests' },
} as const

function FindingLine({ finding }: { readonly finding: Dashboard['findings'][number] }) {
  const { noun, ...link } = PLACES[finding.part]
  return (
    <li className="alert-line" data-tone={finding.problem === 'fails' ? 'bad' : undefined}>
      <TextLink size="sm" fw={550} {...link}>
        {noun} {finding.id} {finding.problem === 'fails' ? 'is failing' : 'lost data'}
      </TextLink>
      <Text size="sm" c="dimmed" className="wrapped">
        {finding.hint}
      </Text>
    </li>
  )
}
