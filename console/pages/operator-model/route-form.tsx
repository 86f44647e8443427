import { Checkbox, Group, NativeSelect, NumberInput, SimpleGrid, Switch, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { FORMATS } from '../../../src/vocabulary/words.ts'
import { api } from '../../api/client.ts'
import { allSuppliersQuery, ROUTES_KEY, routeCall } from '../../api/operator.ts'
import type { CatalogModel, Route } from '../../api/wire.ts'
import { sameNames } from '../../parts/forms/form-drawer.tsx'
import { RateFields } from '../../parts/forms/rate-fields.tsx'
import { ReviewDrawer } from '../../parts/forms/review-drawer.tsx'
import { bodyOfRoute, checkPrice, newRouteValues, type RouteValues, valuesOfRoute } from './route-values.ts'

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
      title={isNew ? `Add a route to ${model.display_name}` : `Route by ${route.supplier}`}
      isNew={isNew}
      onClose={onClose}
      initialValues={isNew ? newRouteValues(model.id) : valuesOfRoute(route)}
      validate={{
        supplier: (supplier) => (supplier === '' ? 'Choose a supplier' : null),
        upstream_model: (name) => (name.trim() === '' ? 'Enter the model’s name at the supplier' : null),
        input: REQUIRED_PRICE,
        output: REQUIRED_PRICE,
        cache_read: OPTIONAL_PRICE,
        cache_write: OPTIONAL_PRICE,
        image: OPTIONAL_PRICE,
      }}
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
            {...field('upstream_model')}
          />
          <Switch label="Used for requests" {...field('enabled', { type: 'checkbox' })} />
          <Prices form={form} />
          <Order form={form} />
        </>
      )}
    </ReviewDrawer>
  )
}

type PriceCheck = (text: string, values: RouteValues) => string | null

const REQUIRED_PRICE: PriceCheck = (text, { has_price: hasPrice }) =>
  checkPrice(text, { hasPrice, isRequired: true })
const OPTIONAL_PRICE: PriceCheck = (text, { has_price: hasPrice }) =>
  checkPrice(text, { hasPrice, isRequired: false })

type Form = UseFormReturnType<RouteValues>

function SupplierChoice({ form, routes }: { readonly form: Form; readonly routes: readonly Route[] }) {
  const suppliers = useQuery(allSuppliersQuery)
  const taken = new Set(routes.map(({ supplier }) => supplier))
  const free = (suppliers.data?.data ?? []).filter(({ id }) => !taken.has(id))
  return (
    <NativeSelect
      label="Supplier"
      description={
        suppliers.data !== undefined && free.length === 0
          ? 'Every supplier already has a route. Add a supplier first.'
          : 'The supplier that serves the model.'
      }
      data={[{ value: '', label: 'Choose…' }, ...free.map(({ id }) => ({ value: id, label: id }))]}
      required
      data-autofocus
      {...form.getInputProps('supplier')}
    />
  )
}

function Prices({ form }: { readonly form: Form }) {
  const price = (name: 'input' | 'output' | 'cache_read' | 'cache_write' | 'image') => ({
    inputMode: 'decimal' as const,
    disabled: !form.values.has_price,
    ...form.getInputProps(name),
  })
  return (
    <>
      <Checkbox
        label="Has a price"
        description="A route without a price is not used."
        {...form.getInputProps('has_price', { type: 'checkbox' })}
      />
      <SimpleGrid cols={2} spacing="md">
        <TextInput label="Input, per million" required {...price('input')} />
        <TextInput label="Output, per million" required {...price('output')} />
        <TextInput label="Cache read, per million" placeholder="same as input" {...price('cache_read')} />
        <TextInput label="Cache write, per million" placeholder="same as input" {...price('cache_write')} />
        <TextInput label="Per image" placeholder="0" {...price('image')} />
      </SimpleGrid>
    </>
  )
}

function Order({ form }: { readonly form: Form }) {
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
            <Checkbox key={format} value={format} label={format} />
          ))}
        </Group>
      </Checkbox.Group>
    </>
  )
}
