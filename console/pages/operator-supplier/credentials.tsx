import { Button, Menu, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconKey, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { credentialCall, credentialsQuery, ROUTES_KEY, SUPPLIERS_KEY } from '../../api/operator.ts'
import type { Credential, Route, Supplier } from '../../api/wire.ts'
import { ActionMenu } from '../../parts/forms/action-menu.tsx'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { useOptimistic } from '../../parts/forms/use-optimistic.ts'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { asList } from '../../parts/tables/lists.ts'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'
import { formatDuration, formatNumber, formatShare, formatShort } from '../../parts/text/format.ts'
import { type CredentialHealth, healthOfCredential } from '../operator-suppliers/health.ts'
import { CredentialForm, ReplaceSecret } from './credential-form.tsx'
import { CircuitBadge } from './route-health.tsx'

interface CredentialsProps {
  readonly supplier: Supplier
  readonly routes: readonly Route[] | undefined
  readonly onAdd: () => void
}

export function Credentials({ supplier, routes, onAdd }: CredentialsProps) {
  return (
    <TablePanel
      title="Credentials"
      description="Your keys at this supplier, with their current state."
      actions={
        <Button size="sm" leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
          Add credential
        </Button>
      }
      list={asList(useQuery(credentialsQuery(supplier.id)))}
      columns={columnsOf(routes)}
      empty={{
        icon: IconKey,
        title: 'No credentials yet',
        action: <Button onClick={onAdd}>Add credential</Button>,
        children:
          'This supplier needs a credential to serve requests. The secret is stored encrypted and never shown again.',
      }}
    />
  )
}

function columnsOf(routes: readonly Route[] | undefined): readonly Column<Credential>[] {
  const health = (id: string) => healthOfCredential(id, routes ?? [])
  return [
    { head: 'Credential', cell: (credential) => <Name credential={credential} /> },
    { head: 'State', from: 'sm', cell: ({ state }) => <StatusBadge state={state} /> },
    {
      head: 'Health',
      cell: ({ id, state }) =>
        state === 'disabled' ? '–' : <CircuitBadge health={health(id)} isWaiting={routes === undefined} />,
    },
    {
      head: 'Left this minute',
      from: 'md',
      cell: (credential) => <Capacity credential={credential} health={health(credential.id)} />,
    },
    {
      head: 'First byte',
      isNumeric: true,
      from: 'sm',
      cell: ({ id }) => {
        const latency = health(id)?.latencyMs ?? null
        return latency === null ? '–' : formatDuration(latency)
      },
    },
    {
      head: 'Success',
      isNumeric: true,
      from: 'sm',
      cell: ({ id }) => {
        const share = health(id)?.successRate ?? null
        return share === null ? '–' : formatShare(share)
      },
    },
    { head: 'Weight', isNumeric: true, from: 'sm', cell: ({ weight }) => weight },
    {
      head: 'Actions',
      isHeadHidden: true,
      isNumeric: true,
      cell: (credential) => <Actions credential={credential} />,
    },
  ]
}

function Name({ credential: { label, last_four, id } }: { readonly credential: Credential }) {
  return (
    <Text span inherit fw={550}>
      <TwoLines below={last_four === null ? 'secret hidden' : `…${last_four}`} belowClass="mono">
        {label ?? id}
      </TwoLines>
    </Text>
  )
}

function Actions({ credential }: { readonly credential: Credential }) {
  const [isEditing, editing] = useDisclosure(false)
  const [isReplacing, replacing] = useDisclosure(false)
  const name = credential.label ?? credential.id
  const isActive = credential.state === 'active'
  const change = useOptimistic<Credential, Pick<Credential, 'state'>>({
    key: SUPPLIERS_KEY,
    act: (row, body) => api.patch(credentialCall(row.id), body),
  })
  return (
    <>
      <ConfirmAction
        title={`Delete ${name}?`}
        confirmLabel="Delete"
        onConfirm={() => api.delete(credentialCall(credential.id))}
        done="The credential was deleted."
        refreshes={[SUPPLIERS_KEY, ROUTES_KEY]}
        trigger={(open) => (
          <ActionMenu name={name}>
            <Menu.Item onClick={editing.open}>Edit</Menu.Item>
            <Menu.Item onClick={replacing.open}>Replace the secret</Menu.Item>
            <Menu.Item onClick={() => void change(credential, { state: isActive ? 'disabled' : 'active' })}>
              {isActive ? 'Disable' : 'Enable'}
            </Menu.Item>
            <Menu.Item color="red" onClick={open}>
              Delete
            </Menu.Item>
          </ActionMenu>
        )}
      >
        Its secret is deleted. This cannot be undone. Running requests finish. To stop using it for a while,
        disable it instead.
      </ConfirmAction>
      {isEditing && (
        <CredentialForm supplier={credential.supplier} credential={credential} onClose={editing.close} />
      )}
      {isReplacing && <ReplaceSecret credential={credential} onClose={replacing.close} />}
    </>
  )
}

interface CapacityProps {
  readonly credential: Pick<Credential, 'rpm' | 'tpm'>
  readonly health: CredentialHealth | null
}

/** The remaining limits in this minute, and what the supplier reports. */
function Capacity({ credential: { rpm, tpm }, health }: CapacityProps) {
  if (rpm === null && tpm === null && (health?.reported ?? null) === null) return <>No limit</>
  return (
    <span className="two-lines numeral">
      {rpm !== null && (
        <span>
          {formatNumber(health?.remainingRequests ?? rpm)} of {formatNumber(rpm)} requests
        </span>
      )}
      {tpm !== null && (
        <span>
          {formatShort(health?.remainingTokens ?? tpm)} of {formatShort(tpm)} tokens
        </span>
      )}
      {health?.reported && (
        <Text span size="xs" c="dimmed">
          Supplier reports: {describeRemaining(health.reported.requests, 'requests')},{' '}
          {describeRemaining(health.reported.tokens, 'tokens')}
        </Text>
      )}
    </span>
  )
}

function describeRemaining(value: number | null, what: string): string {
  return `${value === null ? '?' : formatShort(value)} ${what}`
}
