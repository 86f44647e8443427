import { Alert, Checkbox, Menu, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import type { UserCreate } from '../../../src/vocabulary/user.ts'
import { api } from '../../api/client.ts'
import { USERS, USERS_KEY, userCall } from '../../api/operator.ts'
import { useUser } from '../../api/session.ts'
import type { IssuedUser, User } from '../../api/wire.ts'
import { describeRole, ROLE_CHOICES } from '../../app/role-words.ts'
import { ActionMenu } from '../../parts/forms/action-menu.tsx'
import { ConfirmAction, type Dialog } from '../../parts/forms/confirm-action.tsx'
import { type Closable, FormDrawer } from '../../parts/forms/form-drawer.tsx'
import { checkEmail } from '../../parts/forms/person-rules.ts'
import { useOptimistic } from '../../parts/forms/use-optimistic.ts'
import { AccountPicker } from '../../parts/pickers/operator-pickers.tsx'
import { CodeBlock } from '../../parts/text/code-block.tsx'

interface UserActionsProps {
  readonly user: User
}

export function UserActions({ user }: UserActionsProps) {
  const me = useUser()
  // Operators cannot lock themselves out.
  if (user.id === me.id) {
    return (
      <Text span size="sm" c="dimmed">
        You
      </Text>
    )
  }
  return <Actions user={user} />
}

type Change = Partial<Pick<User, 'is_operator' | 'disabled' | 'totp_enabled'>>

function Actions({ user }: UserActionsProps) {
  const [issued, setIssued] = useState<IssuedUser | null>(null)
  const change = useOptimistic<User, Change>({
    key: USERS_KEY,
    act: (row, body) => api.patch(userCall(row.id), body),
  })
  const ask =
    <Result,>(question: Dialog<Result>) =>
    (trigger: (open: () => void) => ReactNode) => <ConfirmAction {...question} trigger={trigger} />
  const standing = questionOf(user, change)
  return ask({
    title: `Reset the password of ${user.name}?`,
    confirmLabel: 'Reset',
    children:
      'The old password stops working, and all of the user’s sessions end. The new password is shown once.',
    onConfirm: () => api.post<IssuedUser>(userCall(user.id, '/password')),
    refreshes: [USERS_KEY],
    onDone: setIssued,
  })((openReset) =>
    ask(standing)((openStanding) => (
      <>
        <ActionMenu name={user.email}>
          <Menu.Item onClick={openStanding}>
            {user.is_operator ? 'Remove operator rights' : 'Make operator'}
          </Menu.Item>
          <Menu.Item onClick={openReset}>Reset the password</Menu.Item>
          {user.totp_enabled && (
            <Menu.Item onClick={() => void change(user, { totp_enabled: false })}>
              Turn off the second factor
            </Menu.Item>
          )}
          <Menu.Item
            {...(!user.disabled && { color: 'red' })}
            onClick={() => void change(user, { disabled: !user.disabled })}
          >
            {user.disabled ? 'Enable' : 'Disable'}
          </Menu.Item>
        </ActionMenu>
        <IssuedPassword user={issued} onClose={() => setIssued(null)} />
      </>
    )),
  )
}

function questionOf(user: User, change: (row: User, change: Change) => Promise<void>): Dialog {
  if (user.is_operator) {
    return {
      title: `Remove operator rights from ${user.name}?`,
      confirmLabel: 'Remove',
      children: 'They immediately lose access to everything except the accounts they belong to.',
      onConfirm: () => change(user, { is_operator: false }),
    }
  }
  return {
    title: `Make ${user.name} an operator?`,
    confirmLabel: 'Make operator',
    children: 'They can see and change everything: every account, all money, suppliers, prices and users.',
    onConfirm: () => change(user, { is_operator: true }),
  }
}

/** Shows a new password once. */
function IssuedPassword({ user, onClose }: Closable & { readonly user: IssuedUser | null }) {
  return (
    <Modal opened={user !== null} onClose={onClose} title="The new password">
      {user !== null && (
        <Stack gap="sm">
          <Alert color="yellow" title="Copy it now">
            It is shown only once. Share it securely, and ask {user.name} to change it under Settings.
          </Alert>
          <Text size="sm">{user.email}</Text>
          <CodeBlock code={user.password ?? ''} title="Password" isWrapped />
        </Stack>
      )}
    </Modal>
  )
}

type Values = Required<Omit<Sent<typeof UserCreate>, 'password'>>

export function AddUser({ onClose }: { readonly onClose: () => void }) {
  const [issued, setIssued] = useState<IssuedUser | null>(null)
  if (issued !== null) return <IssuedPassword user={issued} onClose={onClose} />
  return (
    <FormDrawer<Values, IssuedUser>
      title="Add a user"
      submitLabel="Add user"
      onClose={onClose}
      initialValues={{ email: '', name: '', account_id: null, role: 'owner', is_operator: false }}
      validate={{ email: checkEmail }}
      send={(values) => api.post<IssuedUser>(USERS, bodyOf(values))}
      refreshes={[USERS_KEY]}
      onDone={setIssued}
    >
      {(field, form) => (
        <>
          <TextInput label="E-mail" type="email" required data-autofocus {...field('email')} />
          <TextInput label="Name" description="Leave empty to use the e-mail address." {...field('name')} />
          <AccountPicker
            label="Account"
            description="The account they use. You can also add members under the account’s Settings."
            placeholder="None"
            error={field('account_id').error}
            value={form.values.account_id ?? ''}
            onChange={(id) => form.setFieldValue('account_id', id === '' ? null : id)}
          />
          <NativeSelect
            label="Role"
            description={describeRole(form.values.role)}
            data={ROLE_CHOICES}
            disabled={form.values.account_id === null}
            {...field('role')}
          />
          <Checkbox
            label="Operator"
            description="Can see and change everything in every account."
            {...field('is_operator', { type: 'checkbox' })}
          />
        </>
      )}
    </FormDrawer>
  )
}

function bodyOf({ email, name, account_id, role, is_operator }: Values): Sent<typeof UserCreate> {
  return {
    email: email.trim(),
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(account_id !== null && { account_id, role }),
    is_operator,
  }
}
