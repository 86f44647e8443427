import { Button, Group, NumberInput, Skeleton, Stack, Switch, Text } from '@mantine/core'
import { useState } from 'react'
import { saveBodyStorage, useBodyStorage } from '../../api/settlements.ts'
import type { BodyStorage } from '../../api/wire.ts'
import { ConfirmAction } from '../../parts/forms/confirm-action.tsx'
import { useAction } from '../../parts/forms/use-action.ts'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'

const MOST_DAYS = 365

export function BodyStoragePanel({ account }: { readonly account: string }) {
  const storage = useBodyStorage(account)
  return (
    <Panel
      title="Stored bodies"
      description="Whether what you ask and what is answered is kept, so that you can look it up with each request."
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
      isOn
        ? `Bodies are kept for ${kept === 1 ? 'a day' : `${kept} days`}.`
        : 'Bodies are not kept any more.',
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
          Usually the gateway forgets every prompt and answer at once and keeps only the figures. Switched on,
          it keeps the bodies of coming requests, encrypted, for as many days as you say. Everybody in this
          account, and the operator of this gateway, can then read them.
        </Text>
        <Switch
          label="Keep requests and responses"
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
        <NumberInput
          label="Days to keep them"
          description={`1 to ${MOST_DAYS}. What is older is deleted.`}
          min={1}
          max={MOST_DAYS}
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
        ? 'Bodies that are older than the days you chose are deleted at once. This cannot be undone.'
        : 'Every body that was kept is deleted at once. This cannot be undone.'}
    </ConfirmAction>
  )
}
