import { Anchor, NativeSelect, PasswordInput, SimpleGrid, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ApiKey, Model } from '../../api/wire.ts'
import { ModelField } from '../../parts/model-field.tsx'
import { Panel } from '../../parts/panel.tsx'

export interface ChoicesProps {
  readonly keys: readonly ApiKey[]
  readonly chosenKey: ApiKey | undefined
  readonly onKey: (id: string) => void
  readonly secret: string
  readonly onSecret: (secret: string) => void
  readonly models: readonly Model[]
  readonly model: string
  readonly onModel: (model: string) => void
}

/** What stands where the secret belongs: the gateway itself does not know it. */
export function placeholderOf(key: ApiKey | undefined): string {
  return key === undefined ? 'YOUR-API-KEY' : `YOUR-KEY-ENDING-IN-${key.last_four ?? key.name}`
}

export function Choices(props: ChoicesProps) {
  const { keys, chosenKey, onKey, secret, onSecret, models, model, onModel } = props
  return (
    <Panel title="Fill in">
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <ModelField models={models} model={model} onChange={onModel} />
        {keys.length === 0 ? (
          <Text size="sm" c="dimmed" className="connect-no-key">
            You have no API key yet.{' '}
            <Anchor inherit underline="always" renderRoot={(link) => <Link to="/keys" {...link} />}>
              Create one
            </Anchor>{' '}
            and copy its secret.
          </Text>
        ) : (
          <NativeSelect
            label="API key"
            value={chosenKey?.id ?? ''}
            onChange={(event) => onKey(event.currentTarget.value)}
            data={keys.map(({ id, name, last_four }) => ({
              value: id,
              label: last_four === null ? name : `${name} · …${last_four}`,
            }))}
          />
        )}
      </SimpleGrid>
      <PasswordInput
        mt="sm"
        label="Its secret"
        description="Only you have it. Pasted here it is filled in below and used for the test; it is not sent elsewhere or kept."
        placeholder="sk-…"
        autoComplete="off"
        value={secret}
        onChange={(event) => onSecret(event.currentTarget.value)}
      />
    </Panel>
  )
}
