import type { ModelKind } from '../../../src/vocabulary/supply.ts'
import type { CatalogModel, Route } from '../../api/wire.ts'
import { countOrNull } from '../../parts/forms/rate-fields.tsx'
import { bodyOfPrice, findPriceErrors, valuesOfPrice } from './price-values.ts'

/** The form values of a route. */
export type RouteValues = ReturnType<typeof valuesOfRoute>

export function newRouteValues({ id, kinds }: Pick<CatalogModel, 'id' | 'kinds'>): RouteValues {
  const values = valuesOfRoute(null)
  return {
    ...values,
    upstream_model: id.split('/').at(-1) ?? id,
    has_price: true,
    price: { ...values.price, rates: { ...values.price.rates, ...freeTokens(kinds) } },
  }
}

const WITH_OUTPUT_TOKENS: readonly ModelKind[] = ['text', 'image', 'image-edit']
const WITH_INPUT_TOKENS: readonly ModelKind[] = [...WITH_OUTPUT_TOKENS, 'embedding']

/** Tokens that models of these kinds are not sold by need no price. */
function freeTokens(kinds: readonly ModelKind[]) {
  const isAny = (priced: readonly ModelKind[]) => kinds.some((kind) => priced.includes(kind))
  return {
    ...(!isAny(WITH_INPUT_TOKENS) && { input: '0' }),
    ...(!isAny(WITH_OUTPUT_TOKENS) && { output: '0' }),
  }
}

export function valuesOfRoute(route: Route | null) {
  const price = route?.price ?? null
  const cost = route?.cost ?? null
  return {
    supplier: route?.supplier ?? '',
    upstream_model: route?.upstream_model ?? '',
    formats: [...(route?.formats ?? [])],
    has_price: price !== null,
    price: valuesOfPrice(price),
    has_cost: cost !== null,
    cost: valuesOfPrice(cost),
    price_source: route?.price_source ?? ('manual' as const),
    rpm: route?.rpm ?? '',
    tpm: route?.tpm ?? '',
    priority: route?.priority ?? (1 as number | string),
    enabled: route?.enabled ?? true,
  }
}

/** The body for `PUT`. */
export function bodyOfRoute(values: RouteValues): Omit<Route, 'model' | 'supplier' | 'credentials'> {
  return {
    upstream_model: values.upstream_model.trim(),
    formats: values.formats.length === 0 ? null : values.formats,
    price: values.has_price ? bodyOfPrice(values.price) : null,
    cost: values.has_cost ? bodyOfPrice(values.cost) : null,
    price_source: values.price_source,
    rpm: countOrNull(values.rpm),
    tpm: countOrNull(values.tpm),
    priority: Number(values.priority),
    enabled: values.enabled,
  }
}

/** What is wrong with the values, by the path of the form field. */
export function findRouteErrors(values: RouteValues): Record<string, string> {
  return {
    ...(values.supplier === '' && { supplier: 'Choose a supplier' }),
    ...(values.upstream_model.trim() === '' && { upstream_model: 'Enter the model’s name at the supplier' }),
    ...(values.has_price && findPriceErrors(values.price, 'price')),
    ...(values.has_cost && findPriceErrors(values.cost, 'cost')),
  }
}
