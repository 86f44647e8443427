import { GatewayError } from '../../../errors/gateway-error.ts'
import { isObject, type JsonObject } from '../../../wire/json-values.ts'
import { branchesOf, type SchemaNode } from '../../describe-schema.ts'

/** Gives a body the field names of its schema. */
export type Renamer = (body: unknown) => unknown

/** The same for any value in it; `path` says where the value stands, null while nobody needs to know. */
type RenameAt = (value: unknown, path: string | null) => unknown

/**
 * Makes a function that gives every field the schema knows its camelCase name, since both `inlineData` and
 * `inline_data` are legal. Where a list is due, a lone object is taken for a list of one, as the format's own service
 * does. What the schema does not describe, such as a tool's arguments, stays as it is; an unchanged value is not copied.
 *
 * Paths are worked out only for a refusal: a long conversation has tens of thousands of parts.
 */
export function compileNames(schema: SchemaNode): Renamer {
  const rename = compileValue(schema)
  return (body) => {
    try {
      return rename(body, null)
    } catch (error) {
      if (error !== GIVEN_TWICE) throw error
      return rename(body, '')
    }
  }
}

const GIVEN_TWICE = new Error('A field is given twice.')

function compileValue(schema: SchemaNode): RenameAt {
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

function compileItems({
  items = {},
}: SchemaNode): (value: readonly unknown[], path: string | null) => unknown {
  const rename = compileValue(items)
  return (value, path) => {
    let isChanged = false
    const renamed = value.map((item, index) => {
      const other = rename(item, path === null ? null : `${path}[${index}]`)
      isChanged ||= other !== item
      return other
    })
    return isChanged ? renamed : value
  }
}

interface NamedMember {
  readonly name: string
  readonly otherName: string
  readonly rename: RenameAt
}

/** Goes by what was sent, which is little, and not by all that the schema knows. */
function compileMembers({
  properties = {},
}: SchemaNode): (value: JsonObject, path: string | null) => unknown {
  const members = new Map<string, NamedMember>()
  for (const [name, property] of Object.entries(properties)) {
    const otherName = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const member = { name, otherName, rename: compileValue(property) }
    members.set(otherName, member).set(name, member)
  }
  return (value, path) => {
    let renamed: Record<string, unknown> | null = null
    for (const sent of Object.keys(value)) {
      const member = members.get(sent)
      if (member === undefined) continue
      const { name } = member
      if (sent !== name && Object.hasOwn(value, name)) throw givenTwice(member, path)
      const other = member.rename(value[sent], joinPath(path, name))
      if (sent === name && other === value[name]) continue
      renamed ??= { ...value }
      if (sent !== name) delete renamed[sent]
      renamed[name] = other
    }
    return renamed ?? value
  }
}

function joinPath(path: string | null, name: string): string | null {
  if (path === null) return null
  return path === '' ? name : `${path}.${name}`
}

/** Both spellings at once are refused: suppliers may not agree on which of them counts. */
function givenTwice({ name, otherName }: NamedMember, path: string | null): Error {
  const param = joinPath(path, name)
  if (param === null) return GIVEN_TWICE
  const message = `${param} is given twice, as ${name} and as ${otherName}.`
  return new GatewayError('invalid_request', message, { param })
}
