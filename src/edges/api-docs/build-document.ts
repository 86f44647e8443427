import {
  type AnswerDescription,
  type ApiDescription,
  type BodyDescription,
  type ErrorDescription,
  type ErrorFamily,
  HEADERS,
  type HeaderName,
  ID_HEADERS,
  type OperationDescription,
  type ParameterDescription,
} from './description.ts'

export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly [member: string]: unknown
}

/** Lays a description out as an OpenAPI 3.1 document. */
export function buildDocument(api: ApiDescription): OpenApiDocument {
  return {
    openapi: '3.1.1',
    info: {
      title: api.title,
      version: api.version,
      description: api.description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'This gateway' }],
    tags: api.tags,
    paths: layOutPaths(api.operations),
    components: {
      schemas: api.schemas,
      responses: layOutErrors(api),
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, [type, description]]) => [
          name,
          { description, schema: { type } },
        ]),
      ),
      securitySchemes: api.securitySchemes,
    },
  }
}

/** The path as the document has it: `/v1/responses/:id` reads `/v1/responses/{id}` there. */
export function documentPath({ endpoint, path }: Pick<OperationDescription, 'endpoint' | 'path'>): string {
  return path ?? endpoint.slice(endpoint.indexOf(' ') + 1).replace(/:(\w+)/g, '{$1}')
}

function layOutPaths(operations: readonly OperationDescription[]): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = documentPath(operation)
    const method = operation.endpoint.slice(0, operation.endpoint.indexOf(' ')).toLowerCase()
    const methods = paths[path] ?? {}
    if (method in methods) throw new Error(`${operation.endpoint} is described twice`)
    methods[method] = layOutOperation(operation, path)
    paths[path] = methods
  }
  return paths
}

function layOutOperation(operation: OperationDescription, path: string): object {
  const { id, tag, summary, description, security, body, answer } = operation
  const parameters = withPathParameters(operation.parameters ?? [], path)
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    security: security.map((scheme) => ({ [scheme]: [] })),
    ...(parameters.length > 0 && { parameters: parameters.map(layOutParameter) }),
    ...(body && { requestBody: layOutBody(body) }),
    responses: { ...layOutAnswer(answer), ...refer(operation.errors) },
  }
}

/** A path's parameters are those it names, whether anything else is known of them or not. */
function withPathParameters(given: readonly ParameterDescription[], path: string): ParameterDescription[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const missing = names.filter((name) => !given.some((parameter) => parameter.name === name))
  return [...missing.map((name) => ({ name, in: 'path' as const, description: `The ${name}.` })), ...given]
}

function layOutParameter({ schema = { type: 'string' }, ...rest }: ParameterDescription): object {
  return { ...rest, required: rest.in === 'path', schema }
}

function layOutBody({ schema, example, isOptional, contentType }: BodyDescription): object {
  return {
    required: isOptional !== true,
    content: { [contentType ?? JSON_TYPE]: { schema: reference('schemas', schema), example } },
  }
}

const JSON_TYPE = 'application/json'

function layOutAnswer(answer: AnswerDescription): Record<string, unknown> {
  const { description, schema, contentType = JSON_TYPE, stream, table, headers = [], status = 200 } = answer
  const whole = { schema: schema === null ? { type: 'string' } : reference('schemas', schema) }
  return {
    [status]: {
      description,
      headers: layOutHeaders([...ID_HEADERS, ...headers]),
      content: {
        [contentType]: whole,
        ...(stream !== undefined && {
          'text/event-stream': { schema: { type: 'string', description: stream } },
        }),
        ...(table !== undefined && { 'text/csv': { schema: { type: 'string', description: table } } }),
      },
    },
  }
}

function layOutHeaders(names: readonly HeaderName[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, reference('headers', name)]))
}

function refer(errors: OperationDescription['errors']): Record<string, object> {
  if (errors === undefined) return {}
  return Object.fromEntries(
    errors.statuses.map((status) => [String(status), reference('responses', `${errors.family}${status}`)]),
  )
}

/** One response for each family and status, with every code that status can mean. */
function layOutErrors({ errors, errorFamilies, operations }: ApiDescription): Record<string, object> {
  const used = new Set(
    operations.flatMap((operation) =>
      (operation.errors?.statuses ?? []).map((status) => `${operation.errors?.family}${status}`),
    ),
  )
  const responses: Record<string, object> = {}
  for (const [status, ofStatus] of Map.groupBy(errors, (error) => error.status)) {
    for (const [name, family] of Object.entries(errorFamilies)) {
      if (used.has(`${name}${status}`)) responses[`${name}${status}`] = layOutError(ofStatus, family)
    }
  }
  return responses
}

function layOutError(errors: readonly ErrorDescription[], family: ErrorFamily): object {
  const isAboutWaiting = errors.some(({ retry }) => retry === 'after-header')
  const isAboutRetrying = errors.some(({ retry }) => retry === 'backoff')
  const headers: HeaderName[] = [...ID_HEADERS]
  if (isAboutWaiting) headers.push('retry-after', ...family.limitHeaders)
  if (isAboutRetrying) headers.push('x-should-retry')
  return {
    description: errors.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join('\n\n'),
    headers: layOutHeaders(headers),
    content: {
      [JSON_TYPE]: {
        schema: reference('schemas', family.schema),
        examples: Object.fromEntries(errors.map((error) => [error.code, { value: family.example(error) }])),
      },
    },
  }
}

function reference(kind: 'schemas' | 'headers' | 'responses', name: string): { $ref: string } {
  return { $ref: `#/components/${kind}/${name}` }
}
