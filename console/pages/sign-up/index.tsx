import { Text } from '@mantine/core'
import { Navigate } from '@tanstack/react-router'
import { signUp, useSession } from '../../api/session.ts'
import { NewUserForm } from '../../parts/entry/entry-form.tsx'
import { EntryFrame } from '../../parts/entry/entry-frame.tsx'
import { TextLink } from '../../parts/text/links.tsx'

export function Page() {
  const session = useSession()
  if (session?.user) return <Navigate to="/overview" replace />
  return (
    <EntryFrame title="Create an account" description="One account, one key, every model.">
      {session?.sign_up === false ? (
        <Text size="sm">Sign-up is closed on this gateway. Ask its operator for an account.</Text>
      ) : (
        <NewUserForm submitLabel="Create account" onSubmit={signUp} />
      )}
      <Text size="sm" ta="center" c="dimmed" mt="md">
        Already have one?{' '}
        <TextLink size="sm" underline="always" to="/sign-in">
          Sign in
        </TextLink>
      </Text>
    </EntryFrame>
  )
}
