import {
  ActionIcon,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core'
import { IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { TimeField } from '../../parts/forms/time-field.tsx'
import { describeVariant } from '../../parts/prices/price-words.ts'
import { SERVICE_TIERS } from '../../parts/prices/rates.ts'
import { RatesFields, type RouteFormState } from './price-fields.tsx'
import { bodyOfVariant, NEW_VARIANT, type VariantValues } from './price-values.ts'
import { useListField } from './use-list-field.ts'

interface VariantListProps {
  readonly form: RouteFormState
  /** `price.variants` or `cost.variants`. */
  readonly path: string
  readonly variants: readonly VariantValues[]
}

/** The variants of a price in words. One at a time is open for changes. */
export function VariantList({ form, path, variants }: VariantListProps) {
  const [opened, setOpened] = useState<number | null>(null)
  const list = useListField({ form, path, length: variants.length })
  const add = () => {
    list.add(NEW_VARIANT)
    setOpened(variants.length)
  }
  const remove = (index: number) => {
    list.remove(index)
    setOpened(null)
  }
  return (
    <Stack gap="xs">
      {variants.map((variant, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the form holds all of a variant, which has no other name.
        <div key={index} className="price-variant">
          <Group gap="xs" wrap="nowrap" justify="space-between" align="flex-start">
            <Text size="sm">{describeVariant(bodyOfVariant(variant))}</Text>
            <Group gap={4} wrap="nowrap">
              <ActionIcon
                aria-label={`Edit variant ${index + 1}`}
                aria-expanded={opened === index}
                onClick={() => setOpened(opened === index ? null : index)}
              >
                <IconPencil size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon aria-label={`Remove variant ${index + 1}`} onClick={() => remove(index)}>
                <IconTrash size={16} aria-hidden />
              </ActionIcon>
            </Group>
          </Group>
          {(opened === index || hasErrors(form, `${path}.${index}.`)) && (
            <VariantFields
              form={form}
              path={`${path}.${index}`}
              variant={variant}
              isAdded={list.added === index}
            />
          )}
        </div>
      ))}
      <Button
        ref={list.addButton}
        variant="default"
        size="compact-sm"
        w="fit-content"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={add}
      >
        Add a variant
      </Button>
      <Text size="xs" c="dimmed">
        Other rates under conditions, such as long prompts, service tiers, hours or a later date. All that
        match apply in this order.
      </Text>
    </Stack>
  )
}

function hasErrors({ errors }: RouteFormState, prefix: string): boolean {
  return Object.keys(errors).some((path) => path.startsWith(prefix))
}

interface VariantFieldsProps {
  readonly form: RouteFormState
  readonly path: string
  readonly variant: VariantValues
  /** It has just been added, and the first field takes the focus. */
  readonly isAdded: boolean
}

function VariantFields({ form, path, variant, isAdded }: VariantFieldsProps) {
  const field = (name: string) => form.getInputProps(`${path}.when.${name}`)
  const tokens = { min: 1, allowDecimal: false, thousandSeparator: ',' }
  return (
    <Stack gap="md" mt="sm">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <NumberInput
          label="Prompt above, tokens"
          autoFocus={isAdded}
          {...tokens}
          {...field('prompt_above')}
        />
        <NumberInput label="Part of the prompt above, tokens" {...tokens} {...field('prompt_part_above')} />
        <NativeSelect
          label="Service tier"
          data={[{ value: '', label: 'Every tier' }, ...SERVICE_TIERS]}
          {...field('tier')}
        />
        <TextInput label="Hours, UTC" placeholder="16:30-00:30" {...field('hours')} />
        <TimeField label="From, UTC" isUtc {...field('from')} value={variant.when.from} />
        <TimeField label="Until, UTC" isUtc {...field('until')} value={variant.when.until} />
      </SimpleGrid>
      <RatesFields form={form} path={path} values={variant} hintOf={() => 'unchanged'} isOptional />
    </Stack>
  )
}
