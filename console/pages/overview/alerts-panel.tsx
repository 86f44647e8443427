import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { Alert } from '../../api/wire.ts'
import { describeAlert } from '../../parts/describe-alert.ts'
import { Panel } from '../../parts/panel.tsx'
import { TimeStamp } from '../../parts/time-stamp.tsx'

/** The latest things the account should know. */
export function AlertsPanel({ alerts }: { readonly alerts: readonly Alert[] | undefined }) {
  return (
    <Panel
      title="Latest alerts"
      actions={
        <Anchor
          size="sm"
          renderRoot={(props) => <Link to="/billing" search={{ tab: 'alerts' }} {...props} />}
        >
          All alerts
        </Anchor>
      }
    >
      {alerts === undefined && <Skeleton height={90} />}
      {alerts?.length === 0 && (
        <Text size="sm" c="dimmed">
          Nothing to worry about. Alerts come when a key reaches a threshold of its budget or its usage limit,
          when the balance runs low, and when a supplier refuses one of your own credentials.
        </Text>
      )}
      {alerts !== undefined && alerts.length > 0 && (
        <Stack component="ul" gap="md" className="alert-list">
          {alerts.map((alert) => (
            <AlertLine key={alert.id} alert={alert} />
          ))}
        </Stack>
      )}
    </Panel>
  )
}

function AlertLine({ alert }: { readonly alert: Alert }) {
  const { title, advice, tone, keyId } = describeAlert(alert)
  return (
    <li className="alert-line" data-tone={tone}>
      <Group justify="space-between" gap="xs" align="baseline">
        <Text size="sm" fw={550} flex="1 1 200px">
          {keyId === null ? (
            title
          ) : (
            <Anchor
              inherit
              c="inherit"
              renderRoot={(props) => <Link to="/keys/$id" params={{ id: keyId }} {...props} />}
            >
              {title}
            </Anchor>
          )}
        </Text>
        <Text size="xs" c="dimmed" span>
          <TimeStamp at={alert.at} as="relative" />
        </Text>
      </Group>
      <Text size="sm" c="dimmed">
        {advice}
      </Text>
    </li>
  )
}
