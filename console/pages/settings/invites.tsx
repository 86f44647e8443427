import { Button, Modal, NativeSelect, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconLink, IconMailForward } from '@tabler/icons-react'
import { useState } from 'react'
import { accountPath, api } from '../../api/client.ts'
import { useList } from '../../api/use-list.ts'
import type { Invite, InviteCreate, IssuedInvite } from '../../api/wire.ts'
import type { ChosenAccount } from '../../app/account.ts'
import { describeRole, ROLE_CHOICES, ROLE_WORDS } from '../../app/role-words.ts'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { type Closable, FormDrawer } from '../../parts/forms/form-drawer.tsx'
import { checkOptionalEmail } from '../../parts/forms/person-rules.ts'
import { StatusBadge } from '../../parts/layout/status-badge.tsx'
import { type Column, TablePanel } from '../../parts/tables/table-panel.tsx'
import { SecretOnce } from '../../parts/text/secret-once.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

interface InvitesProps {
  readonly account: ChosenAccount
}

/** The open invitations to the account. */
export function Invites({ account }: InvitesProps) {
  const [isInviting, inviting] = useDisclosure(false)
  const [issued, setIssued] = useState<IssuedInvite | null>(null)
  const columns: readonly Column<Invite>[] = [
    { head: 'For', cell: ({ email }) => email ?? 'whoever has the link' },
    { head: 'Role', cell: ({ role }) => <StatusBadge state={role} label={ROLE_WORDS[role].label} /> },
    { head: 'Invited by', cell: ({ created_by: by }) => by, from: 'md' },
    { head: 'Ends', cell: ({ expires_at: at }) => <TimeStamp at={at} as="relative" />, from: 'sm' },
    {
      head: 'Revoke',
      isHeadHidden: true,
      isNumeric: true,
      cell: (invite) => <Revoke account={account} invite={invite} />,
    },
  ]
  return (
    <>
      <TablePanel
        title="Invitations"
        description="A link works once and can be revoked until then. Nobody needs to sign up first."
        actions={
          <Button leftSection={<IconMailForward size={16} aria-hidden />} onClick={inviting.open}>
            Invite
          </Button>
        }
        list={useList<Invite>([account.id, 'invites'], accountPath(account.id, '/invites'))}
        columns={columns}
        empty={{
          icon: IconLink,
          title: 'No open invitations',
          children: 'Invite people by a link. They choose a password and are members at once.',
        }}
      />
      {isInviting && <InvitePeople account={account} onClose={inviting.close} onIssued={setIssued} />}
      {issued !== null && <Issued invite={issued} onClose={() => setIssued(null)} />}
    </>
  )
}

function Revoke({ account, invite }: InvitesProps & { readonly invite: Invite }) {
  const whose = invite.email ?? ROLE_WORDS[invite.role].label
  return (
    <ConfirmAction
      title="Revoke the invitation?"
      confirmLabel="Revoke"
      onConfirm={() => api.delete(accountPath(account.id, `/invites/${encodeURIComponent(invite.id)}`))}
      done="The invitation is revoked."
      refreshes={[[account.id, 'invites']]}
      trigger={{ size: 'xs', 'aria-label': `Revoke the invitation of ${whose}`, children: 'Revoke' }}
    >
      The link stops working immediately. You can send another one.
    </ConfirmAction>
  )
}

interface InvitePeopleProps extends InvitesProps, Closable {
  readonly onIssued: (invite: IssuedInvite) => void
}

const DAYS = ['1', '7', '30'].map((days) => ({ value: days, label: days === '1' ? 'A day' : `${days} days` }))

function InvitePeople({ account, onClose, onIssued }: InvitePeopleProps) {
  return (
    <FormDrawer
      title="Invite"
      submitLabel="Create link"
      onClose={onClose}
      initialValues={{ email: '', role: 'developer' as InviteCreate['role'], days: '7' }}
      validate={{
        email: checkOptionalEmail,
      }}
      send={({ email, role, days }) =>
        api.post<IssuedInvite>(accountPath(account.id, '/invites'), {
          role,
          days: Number(days),
          email: email.trim() || null,
        } satisfies InviteCreate)
      }
      refreshes={[[account.id, 'invites']]}
      onDone={onIssued}
    >
      {(field, { values }) => (
        <>
          <TextInput
            label="E-mail"
            type="email"
            description="Only this person can accept, and gets the link by mail if the gateway sends mail. Leave empty for whoever has the link."
            data-autofocus
            {...field('email')}
          />
          <NativeSelect
            label="Role"
            description={describeRole(values.role)}
            data={ROLE_CHOICES}
            {...field('role')}
          />
          <NativeSelect label="Works for" data={DAYS} {...field('days')} />
        </>
      )}
    </FormDrawer>
  )
}

function Issued({ invite, onClose }: Closable & { readonly invite: IssuedInvite }) {
  return (
    <Modal opened onClose={onClose} title="Invitation link" size="lg">
      <Stack>
        <Text size="sm">
          {invite.mailed
            ? `The link was mailed to ${invite.email}. You can also pass it on yourself.`
            : 'Send this link to the person you invite.'}
        </Text>
        <SecretOnce what="Link" secret={`${window.location.origin}/console/join#${invite.token}`} />
      </Stack>
    </Modal>
  )
}
