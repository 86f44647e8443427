import { Anchor, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { signIn } from '../../api/session.ts'
import type { SignIn } from '../../api/wire.ts'
import { EntryForm } from '../../parts/entry-form.tsx'

interface SecondFactorProps {
  readonly credentials: SignIn
  readonly onBack: () => void
}

/** The code of the authenticator, or one of the recovery codes. */
export function SecondFactor({ credentials, onBack }: SecondFactorProps) {
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
      submitLabel="Go on"
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
