import { Checkbox, Group, NativeSelect, NumberInput, Switch, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { RateName } from '../../../src/vocabulary/price.ts'
import { FORMATS } from '../../../src/vocabulary/words.ts'
import { api } from '../../api/client.ts'
import { allSuppliersQuery, ROUTES_KEY, routeCall } from '../../api/operator.ts'
import type { CatalogModel, Route } from '../../api/wire.ts'
import { sameNames } from '../../parts/forms/form-drawer.tsx'
import { RateFields } from '../../parts/forms/rate-fields.tsx'
import { ReviewDrawer } from '../../parts/forms/review-drawer.tsx'
import { describeFormat } from '../../parts/models/supply-words.ts'
import { usualRates } from '../../parts/prices/price-words.ts'
import { CURRENCY } from '../../parts/text/currency.ts'
import { PriceFields, type RouteFormState } from './price-fields.tsx'
import { bodyOfRoute, findRouteErrors, newRouteValues, valuesOfRoute } from './route-values.ts'

interface RouteFormProps {
  readonly model: CatalogModel
  readonly routes: readonly Route[]
  /** Null for a new one. */
  readonly route: Route | null
  readonly onClose: () => void
}

export function RouteForm({ model, routes, route, onClose }: RouteFormProps) {
  const isNew = route === null
  return (
    <ReviewDrawer
      title={isNew ? `Add a route to ${model.display_name}` : `Edit route: ${route.supplier}`}
      isNew={isNew}
      onClose={onClose}
      initialValues={isNew ? newRouteValues(model) : valuesOfRoute(route)}
      validate={findRouteErrors}
      bodyOf={bodyOfRoute}
      send={(values) =>
        api.put(routeCall({ model: model.id, supplier: values.supplier }), bodyOfRoute(values))
      }
      fields={sameNames('upstream_model', 'formats', 'rpm', 'tpm', 'priority')}
      done={isNew ? 'The route is in use.' : 'The route was changed.'}
      refreshes={[ROUTES_KEY]}
      note="Applies from the next request on. Settled requests keep their price."
    >
      {(field, form) => (
        <>
          {isNew && <SupplierChoice form={form} routes={routes} />}
          <TextInput
            label="Name at the supplier"
            description="What the supplier calls the model."
            required
            data-autofocus={!isNew || undefined}
            {...field('upstream_model')}
          />
          <Switch label="Used for requests" {...field('enabled', { type: 'checkbox' })} />
          <Money form={form} usual={usualRates(model.kinds)} />
          <Order form={form} />
        </>
      )}
    </ReviewDrawer>
  )
}

function SupplierChoice({
  form,
  routes,
}: {
  readonly form: RouteFormState
  readonly routes: readonly Route[]
}) {
  const suppliers = useQuery(allSuppliersQuery)
  const taken = new Set(routes.map(({ supplier }) => supplier))
  const free = (suppliers.data?.data ?? []).filter(({ id }) => !taken.has(id))
  return (
    <NativeSelect
      label="Supplier"
      description={
        suppliers.data !== undefined && free.length === 0
          ? 'Every supplier already serves this model. To add a route, add a supplier first.'
          : 'The supplier that serves the model.'
      }
      data={[{ value: '', label: 'Choose…' }, ...free.map(({ id }) => ({ value: id, label: id }))]}
      required
      data-autofocus
      {...form.getInputProps('supplier')}
    />
  )
}

const PRICE_SOURCES = [
  { value: 'manual', label: 'Only when I change it' },
  { value: 'catalog', label: 'When I apply the catalog' },
]

interface MoneyProps {
  readonly form: RouteFormState
  /** The rates by which models of this kind are usually sold. */
  readonly usual: readonly RateName[]
}

function Money({ form, usual }: MoneyProps) {
  return (
    <>
      <Checkbox
        label="Has a price"
        description="A route without a price is not used."
        {...form.getInputProps('has_price', { type: 'checkbox' })}
      />
      {form.values.has_price && (
        <PriceFields form={form} path="price" title={`Price, in ${CURRENCY}`} usual={usual} />
      )}
      <NativeSelect label="The price changes" data={PRICE_SOURCES} {...form.getInputProps('price_source')} />
      <Checkbox
        label="My cost differs from this price"
        description="For cost and margin. Otherwise the cost is the price."
        {...form.getInputProps('has_cost', { type: 'checkbox' })}
      />
      {form.values.has_cost && (
        <PriceFields form={form} path="cost" title={`Cost, in ${CURRENCY}`} usual={usual} />
      )}
    </>
  )
}

function Order({ form }: { readonly form: RouteFormState }) {
  return (
    <>
      <NumberInput
        label="Priority"
        description="Lower is tried first. Routes with the same priority share the requests."
        min={0}
        allowDecimal={false}
        {...form.getInputProps('priority')}
      />
      <RateFields placeholder="No limit" inputProps={form.getInputProps} />
      <Checkbox.Group
        label="Formats"
        description="Choose none to use all formats of the supplier."
        {...form.getInputProps('formats')}
      >
        <Group mt={8}>
          {FORMATS.map((format) => (
            <Checkbox key={format} value={format} label={describeFormat(format)} />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  )
}
