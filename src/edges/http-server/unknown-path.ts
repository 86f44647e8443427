import { GatewayError } from '../../errors/gateway-error.ts'

const DOUBLED = /^\/(v1|v1beta)\/\1(\/|$)/

/** What to say to a request for nothing we have. */
export function unknownPath(path: string): GatewayError {
  const doubled = DOUBLED.exec(path)?.[1]
  if (doubled !== undefined) {
    const advice =
      'Set the base URL with one "/v1" for OpenAI-style SDKs, and without any version for the messages and content-generation SDKs.'
    return new GatewayError(
      'not_found',
      `The path begins with /${doubled} twice, so the base URL is wrong. ${advice}`,
    )
  }
  return new GatewayError('not_found', `There is nothing at ${JSON.stringify(path.slice(0, 200))}.`)
}

export function wrongMethod(method: string, allowed: readonly string[]): GatewayError {
  return new GatewayError(
    'method_not_allowed',
    `${method} is not allowed here; use ${allowed.join(' or ')}.`,
    {
      headers: { allow: allowed.join(', ') },
    },
  )
}
