import { Button, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { acceptInvite, joinByInvite, showInvite, useSession } from '../../api/session.ts'
import type { InviteOffer, Session } from '../../api/wire.ts'
import { forgetLinkToken, useLinkToken } from '../../app/link-token.ts'
import { ROLE_WORDS } from '../../app/role-words.ts'
import { NewUserForm } from '../../parts/entry/entry-form.tsx'
import { EntryFrame, NoToken } from '../../parts/entry/entry-frame.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { TextLink } from '../../parts/text/links.tsx'
import { TimeStamp } from '../../parts/text/time-stamp.tsx'

export function Page() {
  const token = useLinkToken()
  const session = useSession()
  const offer = useQuery({
    queryKey: ['invite', token],
    queryFn: () => showInvite(token),
    enabled: token !== '',
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <EntryFrame
      title={token === '' ? 'This link is incomplete' : 'You are invited'}
      description={
        token === '' ? 'You have not joined the account yet.' : 'Join an account and work in it together.'
      }
    >
      {token === '' ? (
        <NoToken what="invitation" otherwise="Or ask whoever invited you for a new one." />
      ) : (
        <ErrorNotice error={offer.error} />
      )}
      {offer.isLoading && <Skeleton height={120} />}
      {offer.data !== undefined && session !== undefined && (
        <Stack>
          <Offer offer={offer.data} />
          {session.user === null ? (
            <JoinForm token={token} offer={offer.data} />
          ) : (
            <Accept token={token} email={session.user.email} />
          )}
        </Stack>
      )}
    </EntryFrame>
  )
}

function Offer({ offer }: { readonly offer: InviteOffer }) {
  const { label, may } = ROLE_WORDS[offer.role]
  return (
    <Text size="sm" component="div">
      {offer.created_by} invites you to <b>{offer.account_name}</b> as <b>{label}</b>: {may}. The invitation
      ends <TimeStamp at={offer.expires_at} as="relative" />.
    </Text>
  )
}

/** Goes to the account that was joined, which is the last of the list. */
function useWelcome(): (session: Session) => void {
  const { history } = useRouter()
  return ({ accounts }) => {
    forgetLinkToken()
    history.replace(`/console/overview?account=${encodeURIComponent(accounts.at(-1)?.id ?? '')}`)
  }
}

function Accept({ token, email }: { readonly token: string; readonly email: string }) {
  const welcome = useWelcome()
  const accept = useAction(() => acceptInvite(token), {
    done: 'You are a member now.',
    onDone: welcome,
    isFailureShown: false,
  })
  return (
    <>
      <ErrorNotice error={accept.error} />
      <Button size="md" fullWidth loading={accept.isRunning} onClick={() => accept.run(undefined)}>
        Join as {email}
      </Button>
    </>
  )
}

function JoinForm({ token, offer }: { readonly token: string; readonly offer: InviteOffer }) {
  const welcome = useWelcome()
  return (
    <NewUserForm
      email={offer.email}
      submitLabel="Join"
      onSubmit={async (user) => welcome(await joinByInvite({ token, ...user }))}
      ways={
        <Text size="sm" ta="center" c="dimmed">
          Already have a user?{' '}
          <TextLink size="sm" underline="always" to="/sign-in" search={{ return: '/join' }}>
            Sign in to accept
          </TextLink>
        </Text>
      }
    />
  )
}
