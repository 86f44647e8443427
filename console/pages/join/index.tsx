import { Button, PasswordInput, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { acceptInvite, joinByInvite, showInvite, useSession } from '../../api/session.ts'
import type { InviteJoin, InviteOffer, Session } from '../../api/wire.ts'
import { forgetLinkToken, useLinkToken } from '../../app/link-token.ts'
import { ROLE_WORDS } from '../../app/role-words.ts'
import { EntryForm } from '../../parts/forms/entry-form.tsx'
import { EntryFrame } from '../../parts/forms/entry-frame.tsx'
import { placeError } from '../../parts/forms/field-errors.ts'
import { checkPassword, PASSWORD_ADVICE } from '../../parts/forms/password-rule.ts'
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
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  return (
    <EntryFrame title="You are invited" description="to work together in one account">
      <ErrorNotice error={offer.error} />
      {offer.isPending && <Skeleton height={120} />}
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

const FIELDS = ['name', 'email', 'password'] as const

function JoinForm({ token, offer }: { readonly token: string; readonly offer: InviteOffer }) {
  const [error, setError] = useState<unknown>(null)
  const welcome = useWelcome()
  const form = useForm<Omit<InviteJoin, 'token'>>({
    mode: 'uncontrolled',
    initialValues: { name: '', email: offer.email ?? '', password: '' },
    validate: {
      name: (name) => (name.trim() === '' ? 'Enter your name' : null),
      email: (email) => (/^\S+@\S+$/.test(email.trim()) ? null : 'Enter your e-mail address'),
      password: checkPassword,
    },
  })
  const submit = async ({ name, email, password }: Omit<InviteJoin, 'token'>) => {
    setError(null)
    try {
      welcome(await joinByInvite({ token, name: name.trim(), email: email.trim(), password }))
    } catch (thrown) {
      setError(placeError(thrown, FIELDS, form.setFieldError))
    }
  }
  return (
    <EntryForm
      onSubmit={form.onSubmit(submit)}
      submitLabel="Join"
      isSubmitting={form.submitting}
      error={error}
      ways={
        <Text size="sm" ta="center" c="dimmed">
          Already have a user?{' '}
          <TextLink size="sm" underline="always" to="/sign-in" search={{ return: '/join' }}>
            Sign in to accept
          </TextLink>
        </Text>
      }
    >
      <TextInput
        label="Name"
        size="md"
        autoComplete="name"
        autoFocus
        key={form.key('name')}
        {...form.getInputProps('name')}
      />
      <TextInput
        label="E-mail"
        type="email"
        size="md"
        autoComplete="username"
        readOnly={offer.email !== null}
        key={form.key('email')}
        {...form.getInputProps('email')}
      />
      <PasswordInput
        label="Password"
        description={PASSWORD_ADVICE}
        size="md"
        autoComplete="new-password"
        key={form.key('password')}
        {...form.getInputProps('password')}
      />
    </EntryForm>
  )
}
