import { useForm } from '@mantine/form'
import { useState } from 'react'
import { keyCalls } from '../../api/keys.ts'
import type { ApiKey, IssuedKey } from '../../api/wire.ts'
import { placeError } from '../field-errors.ts'
import { FormDrawer } from '../form-drawer.tsx'
import { useAction } from '../use-action.ts'
import { KeyFields } from './key-fields.tsx'
import {
  changesOf,
  FIELD_OF_PARAM,
  KEY_FORM_CHECKS,
  type KeyFormValues,
  settingsOf,
  valuesOf,
} from './key-form-values.ts'

export interface CreateKeyProps {
  readonly account: string
  readonly onClose: () => void
  /** The secret can be seen only now. */
  readonly onIssued: (key: IssuedKey) => void
}

export function CreateKey({ account, onClose, onIssued }: CreateKeyProps) {
  const create = useAction(keyCalls(account).create, {
    refreshes: [
      [account, 'keys'],
      [account, 'overview'],
    ],
    onDone: (key) => {
      onClose()
      onIssued(key)
    },
  })
  return (
    <KeyDrawer
      account={account}
      title="Create an API key"
      submitLabel="Create key"
      initial={valuesOf(null)}
      isSubmitting={create.isRunning}
      onClose={onClose}
      save={(values) => create.runAndWait(settingsOf(values))}
    />
  )
}

export interface EditKeyProps {
  readonly account: string
  readonly apiKey: ApiKey
  readonly onClose: () => void
}

export function EditKey({ account, apiKey, onClose }: EditKeyProps) {
  const change = useAction(
    (values: KeyFormValues) => keyCalls(account).change(apiKey.id, changesOf(apiKey, settingsOf(values))),
    {
      done: ({ name }) => `${name} was changed. It holds from the next request on.`,
      refreshes: [[account, 'keys']],
      onDone: onClose,
    },
  )
  return (
    <KeyDrawer
      account={account}
      title={`Edit ${apiKey.name}`}
      submitLabel="Save"
      initial={valuesOf(apiKey)}
      isSubmitting={change.isRunning}
      onClose={onClose}
      save={change.runAndWait}
    />
  )
}

interface KeyDrawerProps {
  readonly account: string
  readonly title: string
  readonly submitLabel: string
  readonly initial: KeyFormValues
  readonly isSubmitting: boolean
  readonly onClose: () => void
  readonly save: (values: KeyFormValues) => Promise<unknown>
}

function KeyDrawer({ account, title, submitLabel, initial, isSubmitting, onClose, save }: KeyDrawerProps) {
  const [error, setError] = useState<unknown>(null)
  const form = useForm<KeyFormValues>({ initialValues: initial, validate: KEY_FORM_CHECKS })
  const submit = form.onSubmit(async (values) => {
    setError(null)
    await save(values).catch((thrown: unknown) => {
      const place = (param: string, message: string) =>
        form.setFieldError(FIELD_OF_PARAM[param] ?? param, message)
      setError(placeError(thrown, Object.keys(FIELD_OF_PARAM), place))
    })
  })
  return (
    <FormDrawer
      title={title}
      onClose={onClose}
      onSubmit={submit}
      submitLabel={submitLabel}
      isSubmitting={isSubmitting}
      error={error}
    >
      <KeyFields form={form} account={account} />
    </FormDrawer>
  )
}
