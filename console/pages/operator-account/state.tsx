import { Alert, Button, Group, Text, Textarea, TextInput } from '@mantine/core'
import { api } from '../../api/client.ts'
import { ACCOUNTS_KEY, accountCall } from '../../api/operator.ts'
import type { Account } from '../../api/wire.ts'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { FormDrawer } from '../../parts/forms/form-drawer.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { CURRENCY } from '../../parts/text/currency.ts'
import { formatMoney } from '../../parts/text/format.ts'

const CHANGES = {
  suspend: { title: 'Suspend the account', submit: 'Suspend', done: 'Its keys are refused from now on.' },
  close: { title: 'Close the account', submit: 'Close for good', done: 'The account is closed.' },
} as const

type StateChange = keyof typeof CHANGES

export function isStateChange(text: string): text is StateChange {
  return text in CHANGES
}

interface AccountProps {
  readonly account: Account
}

/** Why requests of the account are refused. */
export function StateNotice({ account: { state, state_reason: reason, balance } }: AccountProps) {
  if (state === 'active') return null
  const rest =
    state === 'closed'
      ? `Its keys are revoked. A balance of ${formatMoney(balance)} ${CURRENCY} is left.`
      : 'Requests with its keys are refused until you reopen it.'
  return (
    <Alert color="red" mb="lg" title={`This account is ${state}`}>
      {reason !== null && <>Reason: {reason}. </>}
      {rest}
    </Alert>
  )
}

export function AccountState({
  account,
  onDo,
}: AccountProps & { readonly onDo: (what: StateChange) => void }) {
  if (account.state === 'closed') return null
  return (
    <Panel
      title="Suspend or close"
      description="Suspending refuses all requests of the account until you reopen it. Closing revokes its keys for good; its ledger stays."
    >
      <Group>
        {account.state === 'active' ? (
          <Button variant="default" onClick={() => onDo('suspend')}>
            Suspend
          </Button>
        ) : (
          <ConfirmAction
            title={`Reopen ${account.name}?`}
            confirmLabel="Reopen"
            isHarmless
            onConfirm={() => api.post(accountCall(account.id, '/reopen'), {})}
            done={`${account.name} is active again.`}
            refreshes={[ACCOUNTS_KEY]}
            trigger={{ children: 'Reopen' }}
          >
            Its keys work again from the next request on.
          </ConfirmAction>
        )}
        <Button variant="default" c="var(--mantine-color-error)" onClick={() => onDo('close')}>
          Close account
        </Button>
      </Group>
    </Panel>
  )
}

interface ChangeStateProps extends AccountProps {
  readonly change: StateChange
  readonly onClose: () => void
}

export function ChangeState({ account, change, onClose }: ChangeStateProps) {
  const { title, submit, done } = CHANGES[change]
  const isFinal = change === 'close'
  return (
    <FormDrawer
      title={title}
      submitLabel={submit}
      isDanger
      onClose={onClose}
      initialValues={{ reason: '', name: '' }}
      validate={{
        reason: (reason) => (reason.trim() === '' ? 'Enter a reason' : null),
        name: (name) => (isFinal && name.trim() !== account.name ? 'Type the name of the account' : null),
      }}
      send={({ reason }) => api.post(accountCall(account.id, `/${change}`), { reason: reason.trim() })}
      done={done}
      refreshes={[ACCOUNTS_KEY]}
    >
      {(field) => (
        <>
          <Text size="sm">{isFinal ? <Closing account={account} /> : SUSPENDING}</Text>
          <Textarea
            label="Reason"
            description="The account’s members see it, and the audit log keeps it."
            required
            autosize
            minRows={2}
            data-autofocus
            {...field('reason')}
          />
          {isFinal && (
            <TextInput
              label="Name of the account"
              description={`Type ${account.name} to confirm.`}
              autoComplete="off"
              required
              {...field('name')}
            />
          )}
        </>
      )}
    </FormDrawer>
  )
}

const SUSPENDING =
  'Requests with its keys are refused. Running requests finish. Members can still sign in. You can reopen the account at any time.'

function Closing({ account: { balance } }: AccountProps) {
  return (
    <>
      All of its keys are revoked, which cannot be undone. The balance of{' '}
      <strong>
        {formatMoney(balance)} {CURRENCY}
      </strong>{' '}
      and the ledger are kept. You can still record refunds and adjustments.
    </>
  )
}
