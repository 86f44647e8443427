import { Text } from '@mantine/core'
import type { Model } from '../../api/wire.ts'
import { useAccount } from '../../app/account.ts'
import { ModelField, type ModelFieldProps } from '../../parts/forms/model-field.tsx'

/** The model, and who pays for its requests. */
export function ModelChoice(props: ModelFieldProps) {
  const { name } = useAccount()
  const source = props.models.find(({ id }) => id === props.model)?.source
  return (
    <div>
      <ModelField {...props} />
      {source !== undefined && (
        <Text size="xs" c="dimmed" mt={4} className="playground-payer">
          {describePayer(source, name)}
        </Text>
      )}
    </div>
  )
}

function describePayer(source: Model['source'], account: string): string {
  switch (source) {
    case 'shared':
      return `Charged to ${account}.`
    case 'byok':
      return 'Uses your own credential: the supplier bills you.'
    case 'mixed':
      return `The supplier bills you for your own credential. Otherwise charged to ${account}.`
  }
}
