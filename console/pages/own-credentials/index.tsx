import { Button, Group, List, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPlugConnected, IconPlus, IconStethoscope, IconTrash } from '@tabler/icons-react'
import { ownSupplierCalls, useOwnSuppliers } from '../../api/own-suppliers.ts'
import type { Credential, OwnSupplier, OwnSupplierTest } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { PageLoading } from '../../app/page-loading.tsx'
import { useUrlState } from '../../app/url-state.ts'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { FormDrawer } from '../../parts/forms/form-drawer.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { EmptyState } from '../../parts/layout/empty-state.tsx'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { PageHeader } from '../../parts/layout/page-header.tsx'
import { Facts, Panel } from '../../parts/layout/panel.tsx'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { describeFormat } from '../../parts/models/supply-words.ts'
import { formatDuration } from '../../parts/text/format.ts'
import { TextLink } from '../../parts/text/links.tsx'
import { AddSupplier } from './add-supplier.tsx'

export function Page() {
  const account = useAccount()
  const list = useOwnSuppliers(account.id)
  const [{ add }, setState] = useUrlState({ add: '' })
  const open = () => setState({ add: 'yes' })
  const addButton = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={open}>
      Add a supplier
    </Button>
  )
  return (
    <>
      <PageHeader
        title="Own credentials"
        description="Use your own keys at suppliers. The supplier bills you for these requests, and this gateway charges nothing."
        actions={list.rows.length > 0 && addButton}
      />
      <Stack gap="lg">
        <ErrorNotice error={list.error} onRetry={list.retry} />
        {list.isPending && list.error === null && <PageLoading />}
        {!list.isPending && list.rows.length === 0 && list.error === null && (
          <Panel>
            <EmptyState icon={IconPlugConnected} title="No credentials of your own" action={addButton}>
              All requests are served by the gateway’s shared suppliers and paid from your balance. You do not
              need to set up anything.
            </EmptyState>
          </Panel>
        )}
        {list.rows.map((supplier) => (
          <SupplierPanel key={supplier.id} account={account.id} supplier={supplier} />
        ))}
        <Meaning />
      </Stack>
      {add !== '' && <AddSupplier account={account} onClose={() => setState({ add: '' })} />}
    </>
  )
}

function Meaning() {
  return (
    <Panel title="How it works">
      <List size="sm" spacing="xs" className="plain-list">
        <List.Item>
          The gateway’s models from the same vendor are served with your key, without further setup. For other
          models, ask your operator for a route.
        </List.Item>
        <List.Item>
          Models that your own supplier serves use only that supplier: if your key fails, the request fails
          and does not use your balance. Turn on <b>shared fallback</b> for an{' '}
          <TextLink inherit underline="always" to="/keys">
            API key
          </TextLink>{' '}
          to let shared suppliers take over at their usual price.
        </List.Item>
        <List.Item>
          The limits and allowlists of your keys still apply, and every request is recorded.
        </List.Item>
        <List.Item>
          Only this account’s keys can use your supplier; other accounts cannot see it. The secret is stored
          encrypted and never shown again. If the supplier refuses a credential, it is turned off and you get
          an alert.
        </List.Item>
      </List>
      <Text size="sm" c="dimmed" mt="sm">
        Deleting a credential takes effect from the next request.
      </Text>
    </Panel>
  )
}

interface SupplierPanelProps {
  readonly account: string
  readonly supplier: OwnSupplier
}

function SupplierPanel({ account, supplier }: SupplierPanelProps) {
  const [isAdding, adding] = useDisclosure(false)
  const test = useAction(() => ownSupplierCalls(account).test(supplier.id), { isFailureShown: true })
  return (
    <Panel
      title={supplier.id}
      actions={
        <>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconStethoscope size={14} aria-hidden />}
            loading={test.isRunning}
            onClick={() => test.run(undefined)}
            aria-label={`Test ${supplier.id}`}
          >
            Test
          </Button>
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
            onConfirm={() => ownSupplierCalls(account).remove(supplier.id)}
            done={`${supplier.id} is deleted.`}
            refreshes={[
              [account, 'own-suppliers'],
              [account, 'models'],
            ]}
            trigger={{ size: 'xs', 'aria-label': `Delete ${supplier.id}`, children: 'Delete' }}
          >
            Its credentials are deleted too. Requests go to shared suppliers again, paid from your balance.
            This cannot be undone.
          </ConfirmAction>
        </>
      }
    >
      <Stack>
        <Facts
          facts={[
            { label: 'Type', value: supplier.type },
            { label: 'Address', value: supplier.base_url },
            { label: 'Formats', value: supplier.formats.map(describeFormat).join(', ') },
          ]}
        />
        <Credentials account={account} supplier={supplier} />
        {test.result !== undefined && <TestResult result={test.result} />}
      </Stack>
      {isAdding && <AddCredential account={account} supplier={supplier.id} onClose={adding.close} />}
    </Panel>
  )
}

/** Whether each credential works, and what the supplier serves. */
function TestResult({ result: { data, models } }: { readonly result: OwnSupplierTest }) {
  return (
    <Stack gap="xs" role="status">
      {data.map(({ credential_id, label, last_four, result, hint, model, latency_ms }) => (
        <Group key={credential_id ?? 'none'} gap="sm">
          <StatusBadge state={result} tone={result === 'works' ? 'good' : 'bad'} />
          <Text size="sm">
            {label ?? 'Credential'}
            {last_four === null ? '' : ` …${last_four}`}
            {result === 'works' && latency_ms !== null
              ? `: ${model} answered in ${formatDuration(latency_ms)}.`
              : `: ${hint}`}
          </Text>
        </Group>
      ))}
      <Text size="sm" c="dimmed" className="wrapped">
        {models.length === 0
          ? 'It serves none of this gateway’s models. Ask your operator for a route.'
          : `It serves ${models.length === 1 ? 'one model' : `${models.length} models`}: ${describeSome(models)}.`}
      </Text>
    </Stack>
  )
}

const SHOWN_MODELS = 12

function describeSome(models: readonly string[]): string {
  const more = models.length - SHOWN_MODELS
  return models.slice(0, SHOWN_MODELS).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function Credentials({ account, supplier }: SupplierPanelProps) {
  if (supplier.credentials.length === 0) {
    return (
      <Text size="sm" role="note">
        This supplier has no credential, so requests for its models fail. Add one, or delete the supplier.
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
          label={credential.state === 'active' ? 'In use' : 'Turned off'}
        />
      </Group>
      <ConfirmAction
        title={`Delete ${name}${ending}?`}
        confirmLabel="Delete"
        onConfirm={() => ownSupplierCalls(account).removeCredential(credential.id)}
        done="The credential is deleted."
        refreshes={[[account, 'own-suppliers']]}
        trigger={{
          size: 'xs',
          variant: 'subtle',
          color: 'gray',
          leftSection: <IconTrash size={14} aria-hidden />,
          'aria-label': `Delete ${name}${ending}`,
          children: 'Delete',
        }}
      >
        The secret is deleted.{' '}
        {isLast && 'This is the only one: requests for this supplier’s models fail until you add another. '}
        The key stays valid at the supplier until you revoke it there.
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
            description="A name to recognise it by. Optional."
            placeholder="main"
            {...field('label')}
          />
        </>
      )}
    </FormDrawer>
  )
}
