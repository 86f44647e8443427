import type { Route } from '../../api/operator-shapes.ts'
import { readNano } from '../../parts/exact-amount.ts'
import { countOrNull } from '../../parts/read-count.ts'

/** What the form of a route holds. */
export interface RouteValues {
  readonly supplier: string
  readonly upstream_model: string
  readonly formats: string[]
  readonly has_price: boolean
  readonly input: string
  readonly output: string
  readonly cache_read: string
  readonly cache_write: string
  readonly image: string
  readonly rpm: number | string
  readonly tpm: number | string
  readonly priority: number | string
  readonly enabled: boolean
}

export function newRouteValues(model: string): RouteValues {
  return {
    supplier: '',
    upstream_model: model.split('/').at(-1) ?? model,
    formats: [],
    has_price: true,
    input: '',
    output: '',
    cache_read: '',
    cache_write: '',
    image: '',
    rpm: '',
    tpm: '',
    priority: 1,
    enabled: true,
  }
}

export function valuesOfRoute(route: Route): RouteValues {
  const { price } = route
  return {
    supplier: route.supplier,
    upstream_model: route.upstream_model,
    formats: [...(route.formats ?? [])],
    has_price: price !== null,
    input: price?.input ?? '',
    output: price?.output ?? '',
    cache_read: price?.cache_read ?? '',
    cache_write: price?.cache_write ?? '',
    image: price?.image ?? '',
    rpm: route.rpm ?? '',
    tpm: route.tpm ?? '',
    priority: route.priority,
    enabled: route.enabled,
  }
}

/** As `PUT` takes it. What is left empty is written out, so that a preview shows what will be charged. */
export function bodyOfRoute(values: RouteValues): Omit<Route, 'model' | 'supplier' | 'credentials'> {
  const input = values.input.trim()
  return {
    upstream_model: values.upstream_model.trim(),
    formats: values.formats.length === 0 ? null : values.formats,
    price: values.has_price
      ? {
          input,
          output: values.output.trim(),
          cache_read: values.cache_read.trim() || input,
          cache_write: values.cache_write.trim() || input,
          image: values.image.trim() || '0',
        }
      : null,
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
