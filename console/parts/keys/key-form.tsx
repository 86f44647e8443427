import { keyCalls } from '../../api/keys.ts'
import type { ApiKey, IssuedKey } from '../../api/wire.ts'
import { FormDrawer } from '../forms/form-drawer.tsx'
import { KeyFields } from './key-fields.tsx'
import { changesOf, FIELD_OF_PARAM, KEY_FORM_CHECKS, settingsOf, valuesOf } from './key-form-values.ts'

export interface CreateKeyProps {
  readonly account: string
  readonly onClose: () => void
  /** Called with the secret, which is available only now. */
  readonly onIssued: (key: IssuedKey) => void
}

export function CreateKey({ account, onClose, onIssued }: CreateKeyProps) {
  return (
    <FormDrawer
      title="Create an API key"
      submitLabel="Create key"
      onClose={onClose}
      initialValues={valuesOf(null)}
      validate={KEY_FORM_CHECKS}
      send={(values) => keyCalls(account).create(settingsOf(values))}
      fields={FIELD_OF_PARAM}
      refreshes={[
        [account, 'keys'],
        [account, 'overview'],
      ]}
      onDone={(key) => {
        onClose()
        onIssued(key)
      }}
    >
      {(_, form) => <KeyFields form={form} account={account} />}
    </FormDrawer>
  )
}

export interface EditKeyProps {
  readonly account: string
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

export function EditKey({ account, apiKey, onClose }: EditKeyProps) {
  return (
    <FormDrawer
      title={`Edit ${apiKey.name}`}
      submitLabel="Save"
      onClose={onClose}
      initialValues={valuesOf(apiKey)}
      validate={KEY_FORM_CHECKS}
      send={(values) => keyCalls(account).change(apiKey.id, changesOf(apiKey, settingsOf(values)))}
      fields={FIELD_OF_PARAM}
      done={({ name }) => `${name} was changed. The change applies from the next request on.`}
      refreshes={[[account, 'keys']]}
    >
      {(_, form) => <KeyFields form={form} account={account} />}
    </FormDrawer>
  )
}
