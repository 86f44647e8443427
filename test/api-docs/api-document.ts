import { Compile } from 'typebox/compile'

/** An API document as a reader without types meets it. */
export interface ApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Json>>>>
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Json; example: unknown }>> }
  readonly responses: Readonly<Record<string, Json>>
}

type Json = Readonly<Record<string, unknown>>

export interface NamedOperation extends Operation {
  /** `POST /operator/v1/accounts`. */
  readonly name: string
}

export function operationsOf(document: ApiDocument): NamedOperation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      name: `${method.toUpperCase()} ${path}`,
    })),
  )
}

/** What is wrong with a value under one of the document's schemas; nothing when it fits. */
export function problemsOf(document: ApiDocument, schema: Json, value: unknown): string[] {
  const checker = Compile(inlineReferences(document, schema) as never)
  if (checker.Check(value)) return []
  return checker.Errors(value).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`)
}

export function bodySchemaOf({ requestBody }: Operation): Json {
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema
  if (schema === undefined) throw new Error('the operation takes no body')
  return schema
}

/** The schema of the JSON that answers with this status. */
export function answerSchemaOf(document: ApiDocument, operation: Operation, status = 200): Json {
  const response = inlineReferences(document, operation.responses[String(status)] ?? {}) as {
    readonly content?: Readonly<Record<string, { readonly schema: Json }>>
  }
  const { content = {} } = response
  const schema = (content['application/json'] ?? content['application/x-ndjson'])?.schema
  if (schema === undefined) throw new Error(`${operation.operationId} tells of no JSON with status ${status}`)
  return schema
}

/** The same with every `$ref` replaced by what it points to. Fails when it points nowhere. */
export function inlineReferences(document: ApiDocument, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => inlineReferences(document, element))
  if (typeof value !== 'object' || value === null) return value
  const { $ref } = value as { readonly $ref?: string }
  if ($ref === undefined) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, inlineReferences(document, member)]),
    )
  }
  const [, , kind = '', name = ''] = $ref.split('/')
  const target = document.components[kind]?.[name]
  if (target === undefined) throw new Error(`${$ref} points nowhere`)
  return inlineReferences(document, target)
}
