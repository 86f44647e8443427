import { ActionIcon, Button, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { rateLabel } from '../../parts/prices/price-words.ts'
import { RATES, type Rate } from '../../parts/prices/rates.ts'
import { NEW_IMAGE, type RatesValues } from './price-values.ts'
import type { RouteValues } from './route-values.ts'
import { useListField } from './use-list-field.ts'
import { VariantList } from './variant-fields.tsx'

export type RouteFormState = UseFormReturnType<RouteValues>

/** Where a part of the price is in the values of the form, such as `price.variants.0`. */
interface PartProps<Values> {
  readonly form: RouteFormState
  readonly path: string
  readonly values: Values
}

interface PriceFieldsProps {
  readonly form: RouteFormState
  readonly path: 'price' | 'cost'
  readonly title: string
}

/** A whole price: rates, images by size and quality, and variants. */
export function PriceFields({ form, path, title }: PriceFieldsProps) {
  const values = form.values[path]
  return (
    <Fieldset legend={title}>
      <Stack gap="md">
        <RatesFields form={form} path={path} values={values} hintOf={hintInPrice}>
          What has no rate of its own costs what the general rate says; requests and tool calls cost nothing.
        </RatesFields>
        <VariantList form={form} path={`${path}.variants`} variants={values.variants ?? []} />
      </Stack>
    </Fieldset>
  )
}

function hintInPrice({ name, isGeneral, isRequired, per }: Rate): string {
  if (isRequired) return ''
  if (!isGeneral) return per === 'million' ? 'not priced apart' : 'free'
  return per === 'million' ? 'same as input' : name === 'image' ? '0' : ''
}

interface RatesFieldsProps extends PartProps<RatesValues> {
  /** What an empty field means. */
  readonly hintOf: (rate: Rate) => string
  /** A sentence about the rates behind the button. */
  readonly children?: ReactNode
  /** Whether every field may stay empty. */
  readonly isOptional?: boolean
}

/** The general rates and those in use; the others on request. */
export function RatesFields({ form, path, values, hintOf, children, isOptional = false }: RatesFieldsProps) {
  const [isWhole, setIsWhole] = useState(false)
  // Not by the present values: a field must not vanish while it is being emptied.
  const [used] = useState(() => new Set(Object.keys(values.rates)))
  const shown = RATES.filter(({ name, isGeneral }) => isWhole || isGeneral || used.has(name))
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        {shown.map((rate) => (
          <TextInput
            key={rate.name}
            label={fieldLabel(rate)}
            placeholder={hintOf(rate)}
            inputMode="decimal"
            required={rate.isRequired && !isOptional}
            {...form.getInputProps(`${path}.rates.${rate.name}`)}
            value={values.rates[rate.name] ?? ''}
          />
        ))}
      </SimpleGrid>
      {(isWhole || (values.images ?? []).length > 0) && (
        <ImageRates form={form} path={`${path}.images`} values={values.images ?? []} />
      )}
      {isWhole && children !== undefined && (
        <Text size="xs" c="dimmed">
          {children}
        </Text>
      )}
      <Button
        variant="subtle"
        size="compact-sm"
        w="fit-content"
        aria-expanded={isWhole}
        onClick={() => setIsWhole(!isWhole)}
      >
        {isWhole ? 'Fewer rates' : 'More rates'}
      </Button>
    </>
  )
}

function fieldLabel({ name, per }: Rate): string {
  return per === 'million' ? `${rateLabel(name)}, per million` : `Per ${name.replaceAll('_', ' ')}`
}

/** Prices of images by size and quality. The first that matches applies. */
function ImageRates({ form, path, values }: PartProps<readonly object[]>) {
  const { add, remove, added, addButton } = useListField({ form, path, length: values.length })
  return (
    <Stack gap="xs">
      {values.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the form holds all of a row, which has no other name.
        <Group key={index} gap="xs" align="flex-end" wrap="nowrap">
          <TextInput
            label="Image size"
            placeholder="every"
            autoFocus={added === index}
            {...form.getInputProps(`${path}.${index}.size`)}
          />
          <TextInput
            label="Quality"
            placeholder="every"
            {...form.getInputProps(`${path}.${index}.quality`)}
          />
          <TextInput
            label="Per image"
            inputMode="decimal"
            required
            {...form.getInputProps(`${path}.${index}.price`)}
          />
          <ActionIcon size="lg" aria-label={`Remove image price ${index + 1}`} onClick={() => remove(index)}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
      ))}
      <Button
        ref={addButton}
        variant="subtle"
        size="compact-sm"
        w="fit-content"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => add(NEW_IMAGE)}
      >
        Add an image price by size and quality
      </Button>
    </Stack>
  )
}
