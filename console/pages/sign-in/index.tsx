import { Anchor, Button, Divider, Stack, Text, TextInput } from '@mantine/core'
import { useRouter, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { signIn, useSession } from '../../api/session.ts'
import type { SignIn } from '../../api/wire.ts'
import { PageLoading } from '../../app/page-loading.tsx'
import { EmailField, EntryForm, PasswordField, useEntryForm } from '../../parts/entry/entry-form.tsx'
import { EntryFrame } from '../../parts/entry/entry-frame.tsx'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { TextLink } from '../../parts/text/links.tsx'

/** Where to go after sign-in. Only pages of this console, to prevent open redirects. */
function useReturn(): string {
  const { return: wanted = '' } = useSearch({ strict: false })
  return /^\/(?![/\\])/.test(wanted) ? wanted : '/'
}

export function Page() {
  const session = useSession()
  const returnTo = useReturn()
  const [half, setHalf] = useState<SignIn | null>(null)
  const isSignedIn = Boolean(session?.user)
  useWayBack(isSignedIn, returnTo)
  if (isSignedIn) return <PageLoading />
  if (half !== null) {
    return (
      <EntryFrame title="One more step" description="Enter the code from your authenticator app.">
        <SecondFactor credentials={half} onBack={() => setHalf(null)} />
      </EntryFrame>
    )
  }
  return (
    <EntryFrame title="Sign in" description="Manage your API keys and spending.">
      <Stack>
        <OutsideRefusal />
        <PasswordForm onSecondFactor={setHalf} />
        {session?.password_mail && (
          <Text size="sm" ta="center">
            <TextLink size="sm" to="/forgotten-password">
              Forgot your password?
            </TextLink>
          </Text>
        )}
        {session !== undefined && !session.password_mail && (
          <Text size="sm" ta="center" c="dimmed">
            Forgot your password? Ask your operator for a new one.
          </Text>
        )}
        {session?.oidc && (
          <>
            <Divider label="or" />
            <Button component="a" href="/console/api/oidc/start" variant="default" size="md" fullWidth>
              Continue with {session.oidc.name}
            </Button>
          </>
        )}
        {session?.sign_up && (
          <Text size="sm" ta="center" c="dimmed">
            New here?{' '}
            <TextLink size="sm" underline="always" to="/sign-up">
              Create an account
            </TextLink>
          </Text>
        )}
      </Stack>
    </EntryFrame>
  )
}

/** Shown when the identity provider redirects back with an error. */
function OutsideRefusal() {
  const { error } = useSearch({ strict: false })
  const reason = error === undefined ? undefined : OUTSIDE_REFUSALS[error]
  return reason === undefined ? null : <ErrorNotice error={new Error(reason)} />
}

/** Redirects once the user is signed in, here or in another tab. */
function useWayBack(isSignedIn: boolean, path: string): void {
  const { history } = useRouter()
  useEffect(() => {
    if (isSignedIn) history.replace(`/console${path}`)
  }, [history, isSignedIn, path])
}

interface PasswordFormProps {
  readonly onSecondFactor: (credentials: SignIn) => void
}

function PasswordForm({ onSecondFactor }: PasswordFormProps) {
  const { form, state } = useEntryForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (email) => (email.trim() === '' ? 'Enter your e-mail address' : null),
      password: (password) => (password === '' ? 'Enter your password' : null),
    },
    send: async ({ email, password }) => {
      const credentials = { email: email.trim(), password }
      try {
        await signIn(credentials)
      } catch (thrown) {
        if (!(thrown instanceof ApiError && thrown.code === 'second_factor_required')) throw thrown
        onSecondFactor(credentials)
      }
    },
  })
  return (
    <EntryForm {...state} submitLabel="Sign in">
      <EmailField autoFocus {...form.getInputProps('email')} />
      <PasswordField {...form.getInputProps('password')} />
    </EntryForm>
  )
}

interface SecondFactorProps {
  readonly credentials: SignIn
  readonly onBack: () => void
}

/** Asks for an authenticator code or a recovery code. */
function SecondFactor({ credentials, onBack }: SecondFactorProps) {
  const [code, setCode] = useState('')
  const [isRecovery, setRecovery] = useState(false)
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const submit = async (event?: FormEvent) => {
    event?.preventDefault()
    setRunning(true)
    setError(null)
    try {
      await signIn({ ...credentials, code: code.replaceAll(' ', '') })
    } catch (thrown) {
      setError(thrown)
      setRunning(false)
    }
  }
  return (
    <EntryForm
      onSubmit={(event) => void submit(event)}
      submitLabel="Continue"
      isSubmitting={isRunning}
      isEmpty={code.trim() === ''}
      error={error}
      ways={
        <>
          <Anchor component="button" type="button" size="sm" onClick={() => setRecovery(!isRecovery)}>
            {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
          </Anchor>
          <Anchor component="button" type="button" size="sm" c="dimmed" onClick={onBack}>
            Back to the password
          </Anchor>
        </>
      }
    >
      <TextInput
        key={String(isRecovery)}
        label={isRecovery ? 'Recovery code' : 'Code'}
        size="md"
        autoFocus
        autoComplete="one-time-code"
        inputMode={isRecovery ? 'text' : 'numeric'}
        value={code}
        onChange={(event) => setCode(event.currentTarget.value)}
        classNames={{ input: 'code-input' }}
      />
    </EntryForm>
  )
}

/** Messages for the error codes that the gateway puts into the address. */
const OUTSIDE_REFUSALS: Readonly<Record<string, string>> = {
  oidc_failed: 'The provider could not be reached, or its response failed validation. Try again.',
  oidc_cancelled: 'You cancelled the sign-in at the provider.',
  oidc_email_unverified:
    'The provider has not verified your e-mail address. Verify it there, then try again.',
  oidc_email_in_use: 'A user with this e-mail address already exists. Sign in with your password.',
  oidc_no_account:
    'No user has this e-mail address, and sign-up is closed. Ask the operator of this gateway.',
  oidc_disabled: 'This user is disabled. Ask the operator of this gateway.',
}
