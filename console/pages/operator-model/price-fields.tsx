import { ActionIcon, Button, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import type { RateName } from '../../../src/vocabulary/price.ts'
import { rateLabel, rateUnit } from '../../parts/prices/price-words.ts'
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
  /** Rates that are always shown, because models of this kind are sold by them. */
  readonly usual: readonly RateName[]
}

/** A whole price: rates, images by size and quality, and variants. */
export function PriceFields({ form, path, title, usual }: PriceFieldsProps) {
  const values = form.values[path]
  return (
    <Fieldset legend={title}>
      <Stack gap="md">
        <RatesFields form={form} path={path} values={values} hintOf={hintInPrice} usual={usual}>
          Tokens without a rate of their own cost what the general rate says. Everything else without a rate
          costs nothing.
        </RatesFields>
        <VariantList form={form} path={`${path}.variants`} variants={values.variants ?? []} />
      </Stack>
    </Fieldset>
  )
}

function hintInPrice(rate: Rate): string {
  const isOfTokens = rateUnit(rate) === null
  if (rate.isRequired) return ''
  if (!rate.isGeneral) return isOfTokens ? 'not priced apart' : 'free'
  return isOfTokens ? 'same as input' : '0'
}

interface RatesFieldsProps extends PartProps<RatesValues> {
  /** What an empty field means. */
  readonly hintOf: (rate: Rate) => string
  /** A sentence about the rates behind the button. */
  readonly children?: ReactNode
  /** Whether every field may stay empty. */
  readonly isOptional?: boolean
  readonly usual?: readonly RateName[]
}

/** The general rates and those in use; the others on request. */
export function RatesFields(props: RatesFieldsProps) {
  const { form, path, values, hintOf, children, isOptional = false, usual = [] } = props
  const [isWhole, setIsWhole] = useState(false)
  // Not by the present values: a field must not vanish while it is being emptied.
  const [used] = useState(() => new Set([...Object.keys(values.rates), ...usual]))
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

function fieldLabel(rate: Rate): string {
  const unit = rateUnit(rate)
  return unit === null ? `${rateLabel(rate.name)}, per million tokens` : `Per ${unit}`
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
