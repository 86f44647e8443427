import { Button, NativeSelect, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { accountPath, api } from '../../api/client.ts'
import { useUser } from '../../api/session.ts'
import { useList } from '../../api/use-list.ts'
import type { Member, MemberAdd } from '../../api/wire.ts'
import type { ChosenAccount } from '../../app/account.ts'
import { describeRole, ROLE_CHOICES, ROLE_WORDS } from '../../app/role-words.ts'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { FormDrawer } from '../../parts/forms/form-drawer.tsx'
import { checkEmail } from '../../parts/forms/person-rules.ts'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { type Column, TablePanel, TwoLines } from '../../parts/tables/table-panel.tsx'

interface MembersProps {
  readonly account: ChosenAccount
}

export function Members({ account }: MembersProps) {
  const [isAdding, adding] = useDisclosure(false)
  const me = useUser()
  const columns: readonly Column<Member>[] = [
    {
      head: 'Member',
      cell: ({ name, email }) => (
        <TwoLines below={name === '' || name === email ? null : email}>{name || email}</TwoLines>
      ),
    },
    {
      head: 'Role',
      cell: ({ role }) => (
        <StatusBadge
          state={role}
          label={ROLE_WORDS[role].label}
          tone={role === 'owner' ? 'info' : 'neutral'}
        />
      ),
    },
    {
      head: 'Remove',
      isHeadHidden: true,
      isNumeric: true,
      cell: (member) => (member.user_id === me.id ? null : <Remove account={account} member={member} />),
    },
  ]
  return (
    <>
      <TablePanel
        title={`Members of ${account.name}`}
        label="Members"
        description="A member’s role decides what they may do. Add people who can already sign in here; invite the others."
        actions={
          <Button
            variant="default"
            leftSection={<IconUserPlus size={16} aria-hidden />}
            onClick={adding.open}
          >
            Add member
          </Button>
        }
        list={useList<Member>([account.id, 'members'], accountPath(account.id, '/members'))}
        columns={columns}
        rowKey={(member) => member.user_id}
        empty={{
          icon: IconUsers,
          title: 'No members yet',
          children: 'Add people by the e-mail address they sign in with.',
        }}
      />
      {isAdding && <AddMember account={account} onClose={adding.close} />}
    </>
  )
}

function Remove({ account, member }: MembersProps & { readonly member: Member }) {
  return (
    <ConfirmAction
      title={`Remove ${member.name || member.email}?`}
      confirmLabel="Remove"
      onConfirm={() => api.delete(accountPath(account.id, `/members/${encodeURIComponent(member.user_id)}`))}
      done="The member was removed."
      refreshes={[[account.id, 'members']]}
      trigger={{ size: 'xs', 'aria-label': `Remove ${member.email}`, children: 'Remove' }}
    >
      They lose access to this account immediately. Keys they created keep working until you revoke them.
    </ConfirmAction>
  )
}

function AddMember({ account, onClose }: MembersProps & { readonly onClose: () => void }) {
  return (
    <FormDrawer<MemberAdd, unknown>
      title="Add a member"
      submitLabel="Add"
      onClose={onClose}
      initialValues={{ email: '', role: 'developer' }}
      validate={{ email: checkEmail }}
      send={({ email, role }) => api.post(accountPath(account.id, '/members'), { email: email.trim(), role })}
      done="The member was added."
      refreshes={[[account.id, 'members']]}
    >
      {(field, { values }) => (
        <>
          <TextInput
            label="E-mail"
            type="email"
            description="They must already be a user of this gateway."
            data-autofocus
            {...field('email')}
          />
          <NativeSelect
            label="Role"
            description={describeRole(values.role)}
            data={ROLE_CHOICES}
            {...field('role')}
          />
        </>
      )}
    </FormDrawer>
  )
}
