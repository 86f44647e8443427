import { Button, Group, NumberInput, Skeleton, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { saveBodyStorage, useBodyStorage } from '../../api/settlements.ts'
import type { BodyStorage } from '../../api/wire.ts'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'

const MAX_DAYS = 365

export function BodyStoragePanel({ account }: { readonly account: string }) {
  const storage = useBodyStorage(account)
  return (
    <Panel
      title="Stored bodies"
      description="Store prompts and responses, so that you can look them up with each request."
    >
      <ErrorNotice error={storage.error} onRetry={() => void storage.refetch()} />
      {storage.isPending && <Skeleton height={120} />}
      {storage.data !== undefined && (
        <StorageForm
          key={`${storage.data.enabled} ${storage.data.days}`}
          account={account}
          storage={storage.data}
        />
      )}
    </Panel>
  )
}

interface StorageFormProps {
  readonly account: string
  readonly storage: BodyStorage
}

function StorageForm({ account, storage }: StorageFormProps) {
  const [enabled, setEnabled] = useState(storage.enabled)
  const [days, setDays] = useState<number | null>(storage.days)
  const save = useAction((setting: BodyStorage) => saveBodyStorage(account, setting), {
    done: ({ enabled: isOn, days: kept }) =>
      isOn ? `Bodies are kept for ${kept === 1 ? 'a day' : `${kept} days`}.` : 'Bodies are no longer kept.',
    refreshes: [
      [account, 'body-storage'],
      [account, 'bodies'],
    ],
  })
  const isChanged = enabled !== storage.enabled || days !== storage.days
  const isFewer = storage.enabled && (!enabled || (days ?? 0) < storage.days)
  const saveAndWait = () => save.runAndWait({ enabled, days: days ?? storage.days })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (days !== null && !isFewer) save.run({ enabled, days })
      }}
    >
      <Stack maw={620}>
        <Text size="sm" c="dimmed">
          By default, the gateway keeps only usage and cost, not prompts and responses. If you turn this on,
          it stores the bodies of new requests, encrypted, for the number of days you set. All members of this
          account and the operator of this gateway can read them.
        </Text>
        <Switch
          label="Keep requests and responses"
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
        <NumberInput
          label="Days to keep"
          description={`1 to ${MAX_DAYS}. Older bodies are deleted.`}
          min={1}
          max={MAX_DAYS}
          allowDecimal={false}
          disabled={!enabled}
          maw={220}
          value={days ?? ''}
          onChange={(value) => setDays(typeof value === 'number' ? value : null)}
          error={days === null ? 'Enter a number of days' : null}
        />
        <ErrorNotice error={save.error} />
        <Group>
          {isFewer ? (
            <SaveAndDelete
              enabled={enabled}
              isDisabled={!isChanged || days === null}
              onConfirm={saveAndWait}
            />
          ) : (
            <Button type="submit" loading={save.isRunning} disabled={!isChanged || days === null}>
              Save
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  )
}

interface SaveAndDeleteProps {
  readonly enabled: boolean
  readonly isDisabled: boolean
  readonly onConfirm: () => Promise<unknown>
}

function SaveAndDelete({ enabled, isDisabled, onConfirm }: SaveAndDeleteProps) {
  return (
    <ConfirmAction
      title={enabled ? 'Delete older bodies?' : 'Delete all stored bodies?'}
      confirmLabel="Save and delete"
      onConfirm={onConfirm}
      trigger={{ variant: 'filled', disabled: isDisabled, children: 'Save' }}
    >
      {enabled
        ? 'Bodies older than the number of days you set are deleted immediately. This cannot be undone.'
        : 'All stored bodies are deleted immediately. This cannot be undone.'}
    </ConfirmAction>
  )
}
