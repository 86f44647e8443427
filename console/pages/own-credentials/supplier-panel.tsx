import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { ownSupplierCalls } from '../../api/own-suppliers.ts'
import type { Credential, OwnSupplier } from '../../api/wire.ts'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { Facts, Panel } from '../../parts/panel.tsx'
import { StatusBadge } from '../../parts/status-badge.tsx'
import { useAction } from '../../parts/use-action.ts'

export interface SupplierPanelProps {
  readonly account: string
  readonly supplier: OwnSupplier
}

export function SupplierPanel({ account, supplier }: SupplierPanelProps) {
  const [isAdding, adding] = useDisclosure(false)
  const remove = useAction(() => ownSupplierCalls(account).remove(supplier.id), {
    done: `${supplier.id} is deleted.`,
    refreshes: [
      [account, 'own-suppliers'],
      [account, 'models'],
    ],
  })
  return (
    <Panel
      title={supplier.id}
      actions={
        <>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={adding.open}
            aria-label={`Add a credential to ${supplier.id}`}
          >
            Credential
          </Button>
          <ConfirmAction
            title={`Delete ${supplier.id}?`}
            confirmLabel="Delete"
            typeToConfirm={supplier.id}
            onConfirm={() => remove.runAndWait(undefined)}
            trigger={(open) => (
              <Button size="xs" variant="default" onClick={open} aria-label={`Delete ${supplier.id}`}>
                Delete
              </Button>
            )}
          >
            Its credentials go with it, and requests go to shared suppliers again, paid from your balance.
            This cannot be undone.
          </ConfirmAction>
        </>
      }
    >
      <Stack>
        <Facts
          facts={[
            { label: 'Kind', value: supplier.type },
            { label: 'Address', value: supplier.base_url },
            { label: 'Speaks', value: supplier.formats.join(', ') },
          ]}
        />
        <Credentials account={account} supplier={supplier} />
      </Stack>
      {isAdding && <AddCredential account={account} supplier={supplier.id} onClose={adding.close} />}
    </Panel>
  )
}

function Credentials({ account, supplier }: SupplierPanelProps) {
  if (supplier.credentials.length === 0) {
    return (
      <Text size="sm" role="note">
        It has no credential, so requests for its models fail. Add one, or delete the supplier.
      </Text>
    )
  }
  return (
    <Stack gap={0} component="ul" className="credential-list">
      {supplier.credentials.map((credential) => (
        <CredentialRow
          key={credential.id}
          account={account}
          credential={credential}
          isLast={supplier.credentials.length === 1}
        />
      ))}
    </Stack>
  )
}

interface CredentialRowProps {
  readonly account: string
  readonly credential: Credential
  readonly isLast: boolean
}

function CredentialRow({ account, credential, isLast }: CredentialRowProps) {
  const name = credential.label || 'Credential'
  const ending = credential.last_four === null ? '' : ` …${credential.last_four}`
  const remove = useAction(() => ownSupplierCalls(account).removeCredential(credential.id), {
    done: 'The credential is deleted.',
    refreshes: [[account, 'own-suppliers']],
  })
  return (
    <Group component="li" justify="space-between" wrap="nowrap" className="credential-row">
      <Group gap="sm">
        <Text size="sm" fw={550}>
          {name}
          <Text span inherit c="dimmed" fw={400} className="numeral">
            {ending}
          </Text>
        </Text>
        <StatusBadge
          state={credential.state}
          tone={credential.state === 'active' ? 'good' : 'bad'}
          label={credential.state === 'active' ? 'In use' : 'Switched off'}
        />
      </Group>
      <ConfirmAction
        title={`Delete ${name}${ending}?`}
        confirmLabel="Delete"
        onConfirm={() => remove.runAndWait(undefined)}
        trigger={(open) => (
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={open}
            aria-label={`Delete ${name}${ending}`}
          >
            Delete
          </Button>
        )}
      >
        The gateway forgets the secret.{' '}
        {isLast &&
          'It is the only one here: requests for the models of this supplier fail until you add another. '}
        It stays valid with the supplier until you revoke it there.
      </ConfirmAction>
    </Group>
  )
}

interface AddCredentialProps {
  readonly account: string
  readonly supplier: string
  readonly onClose: () => void
}

function AddCredential({ account, supplier, onClose }: AddCredentialProps) {
  return (
    <FormDrawer
      title={`Add a credential to ${supplier}`}
      submitLabel="Add"
      onClose={onClose}
      initialValues={{ secret: '', label: '' }}
      validate={{ secret: (secret) => (secret.trim() === '' ? 'Paste the key' : null) }}
      send={({ secret, label }) =>
        ownSupplierCalls(account).addCredential(supplier, {
          secret: secret.trim(),
          ...(label.trim() !== '' && { label: label.trim() }),
        })
      }
      done="The credential is in use from the next request on."
      refreshes={[[account, 'own-suppliers']]}
    >
      {(field) => (
        <>
          <PasswordInput
            label="Secret"
            description="Stored encrypted and never shown again."
            autoComplete="off"
            data-autofocus
            {...field('secret')}
          />
          <TextInput
            label="Label"
            description="To tell it from others, if you like."
            placeholder="main"
            {...field('label')}
          />
        </>
      )}
    </FormDrawer>
  )
}
