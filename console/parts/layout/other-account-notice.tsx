import { Alert } from '@mantine/core'
import { IconLockQuestion } from '@tabler/icons-react'
import { useUrlState } from '../../app/url-state.ts'

/** For a link to an account that the user cannot see; the router says in the address that there was one. */
export function OtherAccountNotice({ account }: { readonly account: { readonly name: string } | null }) {
  const [{ elsewhere }, setState] = useUrlState({ elsewhere: '' })
  if (elsewhere === '' || account === null) return null
  return (
    <Alert
      color="yellow"
      variant="light"
      mb="md"
      icon={<IconLockQuestion size={18} aria-hidden />}
      title="This link is for another account"
      withCloseButton
      closeButtonLabel="Close"
      onClose={() => setState({ elsewhere: '' })}
    >
      You do not belong to the account that it leads to, or there is no such account any more. You see{' '}
      {account.name} instead. An owner of the other account can add you as a member.
    </Alert>
  )
}
