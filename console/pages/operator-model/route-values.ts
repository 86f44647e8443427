import type { Route } from '../../api/wire.ts'
import { countOrNull } from '../../parts/forms/rate-fields.tsx'
import { readNano } from '../../parts/text/exact-amount.ts'

/** The form values of a route. */
export type RouteValues = ReturnType<typeof valuesOfRoute>

export function newRouteValues(model: string): RouteValues {
  return { ...valuesOfRoute(null), upstream_model: model.split('/').at(-1) ?? model, has_price: true }
}

export function valuesOfRoute(route: Route | null) {
  const price = route?.price
  return {
    supplier: route?.supplier ?? '',
    upstream_model: route?.upstream_model ?? '',
    formats: [...(route?.formats ?? [])],
    has_price: (price ?? null) !== null,
    // Kept as they are: the form does not show them.
    price: price ?? null,
    cost: route?.cost ?? null,
    price_source: route?.price_source ?? ('manual' as const),
    input: price?.input ?? '',
    output: price?.output ?? '',
    cache_read: price?.cache_read ?? '',
    cache_write: price?.cache_write ?? '',
    image: price?.image ?? '',
    rpm: route?.rpm ?? '',
    tpm: route?.tpm ?? '',
    priority: route?.priority ?? (1 as number | string),
    enabled: route?.enabled ?? true,
  }
}

/** The body for `PUT`. Empty fields get their defaults, so that the preview shows the final prices. */
export function bodyOfRoute(values: RouteValues): Omit<Route, 'model' | 'supplier' | 'credentials'> {
  const input = values.input.trim()
  return {
    upstream_model: values.upstream_model.trim(),
    formats: values.formats.length === 0 ? null : values.formats,
    price: values.has_price
      ? {
          ...values.price,
          input,
          output: values.output.trim(),
          cache_read: values.cache_read.trim() || input,
          cache_write: values.cache_write.trim() || input,
          image: values.image.trim() || '0',
        }
      : null,
    cost: values.cost,
    price_source: values.price_source,
    rpm: countOrNull(values.rpm),
    tpm: countOrNull(values.tpm),
    priority: Number(values.priority),
    enabled: values.enabled,
  }
}

export interface PriceRule {
  readonly hasPrice: boolean
  readonly isRequired: boolean
}

export function checkPrice(text: string, { hasPrice, isRequired }: PriceRule): string | null {
  if (!hasPrice || (text.trim() === '' && !isRequired)) return null
  const nano = readNano(text)
  return nano !== null && nano >= 0n ? null : 'Enter an amount such as 1.25'
}
