import { Checkbox, NativeSelect, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Sent } from '../../../src/vocabulary/shape.ts'
import type { UserCreate } from '../../../src/vocabulary/user.ts'
import { api } from '../../api/client.ts'
import { allAccountsQuery, USERS, USERS_KEY } from '../../api/operator.ts'
import type { IssuedUser } from '../../api/wire.ts'
import { FormDrawer } from '../../parts/form-drawer.tsx'
import { IssuedPassword } from './issued-password.tsx'

type Values = Required<Omit<Sent<typeof UserCreate>, 'password'>>

const SHOWN_CHOICES = 50

export function AddUser({ onClose }: { readonly onClose: () => void }) {
  const [issued, setIssued] = useState<IssuedUser | null>(null)
  const accounts = useQuery(allAccountsQuery)
  if (issued !== null) return <IssuedPassword user={issued} onClose={onClose} />
  return (
    <FormDrawer<Values, IssuedUser>
      title="Add a user"
      submitLabel="Add user"
      onClose={onClose}
      initialValues={{ email: '', name: '', account_id: null, role: 'owner', is_operator: false }}
      validate={{ email: (email) => (/^\S+@\S+$/.test(email.trim()) ? null : 'Enter an e-mail address') }}
      send={(values) => api.post<IssuedUser>(USERS, bodyOf(values))}
      refreshes={[USERS_KEY]}
      onDone={setIssued}
    >
      {(field, { values }) => (
        <>
          <TextInput label="E-mail" type="email" required data-autofocus {...field('email')} />
          <TextInput label="Name" description="Empty: the e-mail address." {...field('name')} />
          <Select
            label="Account"
            description="Which account they use. Members can also be added under Settings of the account."
            placeholder="None"
            searchable
            clearable
            limit={SHOWN_CHOICES}
            data={(accounts.data?.data ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            clearButtonProps={{ 'aria-label': 'Clear the account' }}
            {...field('account_id')}
          />
          <NativeSelect
            label="Role there"
            data={[
              { value: 'owner', label: 'Owner' },
              { value: 'member', label: 'Member' },
            ]}
            disabled={values.account_id === null}
            {...field('role')}
          />
          <Checkbox
            label="Operator"
            description="Sees and changes everything, of every account."
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
