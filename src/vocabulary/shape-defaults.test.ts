import { expect, test } from 'bun:test'
import { amount, choice, text } from './field.ts'
import { shape } from './shape.ts'

const Thing = shape('Thing', {
  name: text(),
  limitNano: amount().nullable().default(0n),
  note: text().nullable().default(null),
  label: text().default(({ name }: { name: string }) => name),
  state: choice(['on', 'off']).default('on'),
})

/** What the schema of a body says each field is by default. */
function defaultsOf({ schema }: { schema: object }): Record<string, unknown> {
  const { properties } = schema as { properties: Record<string, { default?: unknown }> }
  const told = Object.entries(properties).filter(([, property]) => 'default' in property)
  return Object.fromEntries(told.map(([name, property]) => [name, property.default]))
}

test('a body tells the defaults that do not depend on other fields, as JSON has them', () => {
  expect(defaultsOf(Thing.draft)).toEqual({ limit: '0', note: null, state: 'on' })
})

test('a change has no defaults: what it leaves out stays as it is', () => {
  expect(defaultsOf(Thing.patch)).toEqual({})
})
