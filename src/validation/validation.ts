import type { Static, TSchema } from 'typebox'
import { GatewayError } from '../errors/gateway-error.ts'
import { LateCheck } from '../wire/shapes/late-check.ts'
import type { SchemaNode } from './describe-schema.ts'
import { findProblem } from './find-problem.ts'

/**
 * Makes a check for request bodies. It returns the body with the schema's type, or throws a GatewayError
 * that names the first invalid field and what it accepts.
 *
 * The compiled schema decides; the slower search for the field runs only after it has failed.
 */
export function compileCheck<const Schema extends TSchema>(
  schema: Schema,
): (body: unknown) => Static<Schema> {
  const check = new LateCheck(schema)
  return (body) => {
    if (check.passes(body)) return body as Static<Schema>
    throw describeRefusal(schema as SchemaNode, body)
  }
}

function describeRefusal(schema: SchemaNode, body: unknown): GatewayError {
  const problem = findProblem(schema, body)
  if (problem === null)
    return new GatewayError('invalid_request', 'The body does not have the expected shape.')
  if (problem.path === '') return new GatewayError('invalid_request', 'The body must be a JSON object.')
  return new GatewayError('invalid_request', `${problem.path} ${problem.complaint}.`, { param: problem.path })
}
