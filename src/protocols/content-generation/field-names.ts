import { GatewayError } from '../../errors/gateway-error.ts'
import { isObject, type JsonObject } from '../../wire/json-values.ts'
import { branchesOf, type SchemaNode } from '../describe-schema.ts'

/** Gives a body the field names of its schema; `path` says where the value stands. */
export type Renamer = (value: unknown, path: string) => unknown

/**
 * Makes a function that gives every field the schema knows its camelCase name, since both `inlineData` and
 * `inline_data` are legal. Where a list is due, a lone object is taken for a list of one, as the format's own service
 * does. What the schema does not describe, such as a tool's arguments, stays as it is; an unchanged value is not copied.
 */
export function compileNames(schema: SchemaNode): Renamer {
  const branches = branchesOf(schema)
  const list = branches.find(({ type }) => type === 'array')
  const record = branches.find(({ type }) => type === 'object')
  const renameItems = list && compileItems(list)
  const renameMembers = record && compileMembers(record)
  return (value, path) => {
    if (Array.isArray(value)) return renameItems ? renameItems(value, path) : value
    if (!isObject(value)) return value
    if (renameMembers) return renameMembers(value, path)
    return renameItems ? renameItems([value], path) : value
  }
}

function compileItems({ items = {} }: SchemaNode): (value: readonly unknown[], path: string) => unknown {
  const rename = compileNames(items)
  return (value, path) => {
    const renamed = value.map((item, index) => rename(item, `${path}[${index}]`))
    return renamed.some((item, index) => item !== value[index]) ? renamed : value
  }
}

function compileMembers({ properties = {} }: SchemaNode): (value: JsonObject, path: string) => unknown {
  const members = Object.entries(properties).map(([name, property]) => ({
    name,
    otherName: name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    rename: compileNames(property),
  }))
  return (value, path) => {
    let renamed: Record<string, unknown> | null = null
    for (const { name, otherName, rename } of members) {
      const sent = findName(value, { name, otherName, path })
      if (sent === null) continue
      const member = rename(value[sent], path === '' ? name : `${path}.${name}`)
      if (sent === name && member === value[name]) continue
      renamed ??= { ...value }
      if (sent !== name) delete renamed[sent]
      renamed[name] = member
    }
    return renamed ?? value
  }
}

interface Spellings {
  readonly name: string
  readonly otherName: string
  readonly path: string
}

/** Which spelling was sent. Both at once are refused: suppliers may not agree on which of them counts. */
function findName(value: JsonObject, { name, otherName, path }: Spellings): string | null {
  const hasName = Object.hasOwn(value, name)
  if (name === otherName || !Object.hasOwn(value, otherName)) return hasName ? name : null
  if (!hasName) return otherName
  const param = path === '' ? name : `${path}.${name}`
  throw new GatewayError('invalid_request', `${param} is given twice, as ${name} and as ${otherName}.`, {
    param,
  })
}
