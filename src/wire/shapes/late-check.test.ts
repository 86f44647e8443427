import { expect, test } from 'bun:test'
import { Type } from 'typebox'
import { LateCheck } from './late-check.ts'

test('a schema is not read before its check is used', () => {
  let reads = 0
  const schema = new Proxy(Type.Object({ name: Type.String() }), {
    get: (target, name) => {
      reads += 1
      return Reflect.get(target, name)
    },
  })
  const check = new LateCheck(schema)
  expect(reads).toBe(0)
  expect(check.passes({ name: 'x' })).toBe(true)
  expect(reads).toBeGreaterThan(0)
  expect(check.errors({ name: 1 }).map(({ instancePath }) => instancePath)).toEqual(['/name'])
})
