import { ActionIcon, Menu, Text } from '@mantine/core'
import { IconDots } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { USERS_KEY, userCall } from '../../api/operator.ts'
import { useUser } from '../../api/session.ts'
import type { IssuedUser, User } from '../../api/wire.ts'
import { ConfirmAction } from '../../parts/confirm-action.tsx'
import { useAction } from '../../parts/use-action.ts'
import { useOptimistic } from '../../parts/use-optimistic.ts'
import { IssuedPassword } from './issued-password.tsx'

interface UserActionsProps {
  readonly user: User
}

export function UserActions({ user }: UserActionsProps) {
  const me = useUser()
  // Whoever shuts themselves out cannot let themselves in again.
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
  const reset = useAction(() => api.post<IssuedUser>(userCall(user.id, '/password')), {
    refreshes: [USERS_KEY],
    onDone: setIssued,
  })
  const ask = (question: Question) => (trigger: (open: () => void) => ReactNode) => (
    <ConfirmAction {...question} trigger={trigger} />
  )
  const standing = questionOf(user, change)
  return ask({
    title: `Reset the password of ${user.name}?`,
    confirmLabel: 'Reset',
    children: 'The old password stops working and all sessions of the user end. The new one is shown once.',
    onConfirm: () => reset.runAndWait(undefined),
  })((openReset) =>
    ask(standing)((openStanding) => (
      <>
        <Menu position="bottom-end" withinPortal>
          <Menu.Target>
            <ActionIcon aria-label={`Actions for ${user.email}`}>
              <IconDots size={18} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item onClick={openStanding}>
              {user.is_operator ? 'Take operator rights away' : 'Make operator'}
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
          </Menu.Dropdown>
        </Menu>
        <IssuedPassword user={issued} onClose={() => setIssued(null)} />
      </>
    )),
  )
}

interface Question {
  readonly title: string
  readonly confirmLabel: string
  readonly children: string
  readonly onConfirm: () => Promise<unknown>
}

function questionOf(user: User, change: (row: User, change: Change) => Promise<void>): Question {
  if (user.is_operator) {
    return {
      title: `Take operator rights from ${user.name}?`,
      confirmLabel: 'Take away',
      children: 'They see only the accounts they belong to, at once.',
      onConfirm: () => change(user, { is_operator: false }),
    }
  }
  return {
    title: `Make ${user.name} an operator?`,
    confirmLabel: 'Make operator',
    children: 'They see and change everything: every account, all money, suppliers, prices and users.',
    onConfirm: () => change(user, { is_operator: true }),
  }
}
